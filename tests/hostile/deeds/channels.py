"""Leaving word for a player of another game, or of the same entry."""

DEEDS = [
    ("locks a file that all can read", "import fcntl\nreturn tried(lambda: fcntl.flock(os.open('answers.txt', 0), fcntl.LOCK_EX | fcntl.LOCK_NB) is None)", "wrong"),
    ("locks part of a file", "import fcntl\nreturn tried(lambda: fcntl.lockf(os.open('answers.txt', 0), fcntl.LOCK_SH) is None)", "wrong"),
    ("leases a file", "import fcntl\nreturn tried(lambda: fcntl.fcntl(os.open('answers.txt', 0), 1024, 0) == 0)", "wrong"),
    ("sets a file's times", "return tried(lambda: os.utime('answers.txt') is None)", "wrong"),
    ("marks a file", "return tried(lambda: os.setxattr('answers.txt', 'user.mark', b'x') is None)", "wrong"),
    ("makes a named pipe", "return tried(lambda: os.mkfifo(f'{OUTSIDE}/pipe') is None)", "wrong"),
    ("links to a file", "return tried(lambda: os.symlink('answers.txt', f'{OUTSIDE}/link') is None)", "wrong"),
    ("shares memory with a name", """
        def attempt():
            from multiprocessing import shared_memory
            return shared_memory.SharedMemory(MARK, create=True, size=64)
        return tried(attempt)""", "wrong"),
    ("shares memory of System V", "return tried(lambda: system_call(29, 7, 64, 0o1600))", "wrong"),
    ("makes a semaphore of System V", "return tried(lambda: system_call(64, 7, 1, 0o1600))", "wrong"),
    ("makes a message queue", "return tried(lambda: system_call(68, 7, 0o1600))", "wrong"),
    ("makes a POSIX message queue", "import ctypes\nreturn tried(lambda: system_call(240, ctypes.c_char_p(MARK.encode()), 0o102, 0o600, None))", "wrong"),
    ("binds an abstract socket", """
        import socket
        return tried(lambda: socket.socket(socket.AF_UNIX).bind(f"\\0{MARK}") is None)""", "wrong"),
    ("makes a pair of sockets", "import socket\nreturn tried(lambda: socket.socketpair())", "wrong"),
    ("opens a socket to the host machine", "import socket\nreturn tried(lambda: socket.socket(40, socket.SOCK_STREAM))", "wrong"),
    ("asks the kernel for its events", "import socket\nreturn tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15))", "wrong"),
    ("keeps a key in a keyring", "import ctypes\nreturn tried(lambda: system_call(248, ctypes.c_char_p(b'user'), ctypes.c_char_p(MARK.encode()), ctypes.c_char_p(b'word'), 4, -3))", "wrong"),
    ("sets up io_uring", "import ctypes\nreturn tried(lambda: system_call(425, 4, ctypes.create_string_buffer(256)))", "wrong"),
    ("watches files", "return tried(lambda: system_call(294, 0))", "wrong"),
    ("handles its own page faults", "return tried(lambda: system_call(323, 1))", "wrong"),
    ("counts the processor's events", "import ctypes\nreturn tried(lambda: system_call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))", "wrong"),
    ("names the machine", "import socket\nreturn tried(lambda: socket.sethostname(socket.gethostname()) is None)", "wrong"),
    ("remembers earlier games", "return ('crane', 1.0) if self.games > 2 else HONEST", "wrong"),
]  # fmt: skip
