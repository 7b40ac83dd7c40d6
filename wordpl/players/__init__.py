"""Players, which execute entries in this process or in processes of their own."""
