"""Players, which execute entries in this process or in separate processes."""
