"""Ending otherwise than by returning a move."""

DEEDS = [
    ("exits", "sys.exit(3)", "crashed"),
    ("exits at once", "os._exit(0)", "crashed"),
    ("breaks its memory", "import ctypes; ctypes.string_at(0)", "crashed"),
    ("aborts", "os.abort()", "crashed"),
    ("interrupts itself", "raise KeyboardInterrupt", "crashed"),
    ("ends a generator", "raise GeneratorExit", "crashed"),
    ("raises its own kind of error", "class Own(BaseException): pass\nraise Own", "crashed"),
    ("raises an error that cannot be shown", "class Own(Exception):\n    def __str__(self): raise self\nraise Own", "crashed"),
    ("raises a chain of a thousand errors", """
        error = None
        for n in range(1000):
            new = ValueError(n)
            new.__cause__, error = error, new
        raise error""", "crashed"),
    ("claims to be out of memory", "raise MemoryError", "out of memory"),
    ("kills itself", "os.kill(os.getpid(), 9)", "out of memory"),
    ("leaves an orphan in a session of its own", """
        def attempt():
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(4)
                os._exit(0)
            return True
        return tried(attempt)""", "wrong"),
    ("closes all files and spins", "os.closerange(0, 100)\nwhile True: pass", "crashed"),
    ("closes all files and sleeps", "os.closerange(0, 100)\ntime.sleep(60)", "crashed"),
    ("becomes another program", "try: os.execv('/bin/sh', ['sh', '-c', 'exit 0'])\nexcept OSError: return HONEST", "wrong"),
    ("runs another program", "import subprocess\nreturn tried(lambda: subprocess.run(['/bin/true']).returncode == 0)", "wrong"),
    ("does not import", "return HONEST", "crashed", "import nothing_of_that_name"),
    ("exits when imported", "return HONEST", "crashed", "os._exit(0)"),
    ("replaces its own class", "type(self).next_move = None\nreturn 'crane', 1.0", "crashed"),
]  # fmt: skip
