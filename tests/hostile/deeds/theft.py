"""Looking for the secret, or for a way to the referee. The attacker knows where to look."""

ACROSS = """
        def attempt():
            import ctypes
            found = ctypes.create_string_buffer(len(MARK))
            here = (ctypes.c_void_p * 2)(ctypes.addressof(found), len(MARK))
            there = (ctypes.c_void_p * 2)(ADDRESS, len(MARK))
            ctypes.CDLL(None).process_vm_readv(REFEREE, here, 1, there, 1, 0)
            return found.raw == MARK.encode()
        return tried(attempt)"""

DEEDS = [
    ("walks up the frames", """
        frame = sys._getframe()
        while frame:
            if "secret" in frame.f_locals: return GOT_IN
            frame = frame.f_back
        return HONEST""", "wrong"),
    ("searches all objects", """
        import gc
        from wordpl.records import Record
        return GOT_IN if any(isinstance(one, Record) for one in gc.get_objects()) else HONEST""", "wrong"),
    ("reads the referee's memory", """
        def attempt():
            with open(f"/proc/{REFEREE}/mem", "rb", 0) as memory:
                memory.seek(ADDRESS)
                return memory.read(len(MARK)) == MARK.encode()
        return tried(attempt)""", "wrong"),
    ("reads the referee's memory by a call", ACROSS, "wrong"),
    ("traces the referee", "import ctypes\nreturn tried(lambda: ctypes.CDLL(None).ptrace(0x4206, REFEREE, 0, 0) == 0)", "wrong"),
    ("takes a file of the referee's", """
        def attempt():
            handle = os.pidfd_open(REFEREE)
            return system_call(438, handle, 0, 0)
        return tried(attempt)""", "wrong"),
    ("opens the referee's files in /proc", "return tried(lambda: os.listdir(f'/proc/{REFEREE}/fd') is not None)", "wrong"),
    ("reads the referee's environment", "return tried(lambda: 'WORDPL_TEST_TOKEN' in open(f'/proc/{REFEREE}/environ').read())", "wrong"),
    ("reads the referee's command line", "return tried(lambda: 'python' in open(f'/proc/{REFEREE}/cmdline').read())", "wrong"),
    ("looks into its own environment", "return GOT_IN if 'WORDPL_TEST_TOKEN' in os.environ else HONEST", "wrong"),
    ("reads the run's description", "return tried(lambda: 'seed' in open(f'{RUN}/run.json').read())", "wrong"),
    ("reads the records", "return tried(lambda: open(f'{RUN}/records/honest.jsonl').read() is not None)", "wrong"),
    ("lists the results", "return tried(lambda: os.listdir(RUN))", "wrong"),
    ("adds a record", "return tried(lambda: open(f'{RUN}/records/decoy.jsonl', 'a').write('{}\\n'))", "wrong"),
    ("removes the records", "return tried(lambda: os.unlink(f'{RUN}/durations/decoy.csv') is None)", "wrong"),
    ("looks around at home", "return tried(lambda: os.listdir(os.path.expanduser('~')))", "wrong"),
    ("signals the referee", "return tried(lambda: os.kill(REFEREE, 0) is None)", "wrong"),
    ("signals its parent", "return tried(lambda: os.kill(os.getppid(), 0) is None)", "wrong"),
    ("signals everybody", "return tried(lambda: os.kill(-1, 0) is None)", "wrong"),
    ("limits its parent", """
        import resource
        return tried(lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)) is not None)""", "wrong"),
    ("connects to the machine it is on", """
        import socket
        return tried(lambda: socket.create_connection(("127.0.0.1", PORT), timeout=1) is not None)""", "wrong"),
    ("sends a datagram", """
        import socket
        return tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT)))""", "wrong"),
    ("listens for others", """
        import socket
        return tried(lambda: socket.create_server(("127.0.0.1", 0)) is not None)""", "wrong"),
    ("mounts a file system", "import ctypes\nreturn tried(lambda: ctypes.CDLL(None).mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0 and not ctypes.CDLL(None).umount(b'/mnt'))", "wrong"),
    ("enters a namespace of its own", "return tried(lambda: system_call(272, 0x10000000))", "wrong"),
    ("becomes root again", "return tried(lambda: os.setgroups([0]) is None)", "wrong"),
    ("loads a kernel program", "return tried(lambda: system_call(321, 0, 0, 0))", "wrong"),
]  # fmt: skip
