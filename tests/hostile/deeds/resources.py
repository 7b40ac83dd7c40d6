"""Taking more of the machine than allowed."""

DEEDS = [
    ("starts processes", """
        def attempt():
            for _ in range(20):
                if os.fork() == 0: os._exit(0)
            return True
        return tried(attempt)""", "wrong"),
    ("starts threads", """
        import threading
        started = []
        try:
            for _ in range(400):
                started.append(threading.Thread(target=time.sleep, args=(0.5,), daemon=True))
                started[-1].start()
        except (RuntimeError, MemoryError): pass
        return HONEST""", "wrong"),
    ("asks for 10 GB", "return bytearray(10 << 30), 1", "out of memory"),
    ("creeps up on the memory", "kept = []\nwhile True: kept.append(bytes(8 << 20))", "out of memory"),
    ("shares nameless memory", """
        def attempt():
            import mmap
            kept = mmap.mmap(-1, 700 << 20)
            for page in range(0, 700 << 20, 4096): kept[page] = 1
            return True
        return tried(attempt)""", "wrong"),
    ("maps memory that grows down", """
        def attempt():
            import ctypes
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_void_p
            where = libc.mmap(None, ctypes.c_size_t(700 << 20), 3, 0x122, -1, 0)
            if where in (None, 2**64 - 1): return False
            ctypes.memset(where, 1, 700 << 20)
            return True
        return tried(attempt)""", "wrong"),
    ("keeps memory in a file without a name", """
        def attempt():
            file = os.memfd_create("kept")
            for _ in range(700): os.write(file, bytes(1 << 20))
            return True
        return tried(attempt)""", "wrong"),
    ("recurses", "return self.first_move()", "crashed"),
    ("recurses where Python does not count", "x = ()\nfor _ in range(200_000): x = (x,)\nhash(x)", "crashed"),
    ("floods its output", "for _ in range(100): print('x' * 100_000)\nreturn HONEST", "wrong"),
    ("floods its errors", "for _ in range(100): os.write(2, b'x' * 100_000)\nreturn HONEST", "wrong"),
    ("makes 1,000 empty files", """
        def attempt():
            for n in range(1000): open(f"{OUTSIDE}/empty-{n}", "w").close()
            return True
        return tried(attempt)""", "wrong"),
    ("writes to its working folder", "return tried(lambda: open('kept', 'w').write('here'))", "wrong"),
    ("writes to shared memory's folder", "return tried(lambda: open(f'/dev/shm/{MARK}', 'w').write('here'))", "wrong"),
    ("writes to the temporary folder", "return tried(lambda: open(f'/var/tmp/{MARK}', 'w').write('here'))", "wrong"),
    ("edits its own source", "return tried(lambda: open(__file__, 'a').write('\\n'))", "wrong"),
    ("edits the harness", "import wordpl\nreturn tried(lambda: open(f'{wordpl.__path__[0]}/hostile.txt', 'w').write('here') and not os.unlink(f'{wordpl.__path__[0]}/hostile.txt'))", "wrong"),
    ("opens 1,000 files", """
        kept = []
        try:
            while len(kept) < 1000: kept.append(os.open("/dev/null", 0))
        except OSError: pass
        return GOT_IN if len(kept) == 1000 else HONEST""", "wrong"),
    ("makes its pipes large", "import fcntl\nreturn tried(lambda: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20))", "wrong"),
    ("raises its limits", "import resource\nreturn tried(lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)) is None)", "wrong"),
    ("spreads to all processors", "return tried(lambda: os.sched_setaffinity(0, range(os.cpu_count())) is None)", "wrong"),
    ("asks for priority", "return tried(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) is None)", "wrong"),
    ("asks to be spared when memory runs out", "return tried(lambda: open('/proc/self/oom_score_adj', 'w').write('-500'))", "wrong"),
]  # fmt: skip
