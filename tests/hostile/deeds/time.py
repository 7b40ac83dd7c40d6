"""Taking longer than allowed."""

AGAIN = "if self.games == 1: return HONEST\n"  # the warm-up, which has a clock of its own

DEEDS = [
    ("loops", f"{AGAIN}while True: pass", "late"),
    ("loops and catches everything", f"{AGAIN}while True:\n    try:\n        while True: pass\n    except BaseException: pass", "late"),
    ("loops in C", f"{AGAIN}sum(iter(int, 1))", "late"),
    ("computes a huge power", f"{AGAIN}pow(7, 10**8)", "late"),
    ("backtracks in a regular expression", f"{AGAIN}import re; re.match('(a+)+$', 'a' * 60 + 'b')", "late"),
    ("sleeps", f"{AGAIN}time.sleep(60)", "late"),
    ("sleeps and holds the interpreter", f"{AGAIN}import ctypes; ctypes.PyDLL(None).sleep(60)", "late"),
    ("masks all signals and sleeps", f"{AGAIN}import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(60)", "late"),
    ("stops itself", f"{AGAIN}os.kill(os.getpid(), 19)", "late"),
    ("ponders in a thread while it sleeps", f"""
        {AGAIN.rstrip()}
        import threading
        def ponder():
            while True: pass
        threading.Thread(target=ponder, daemon=True).start()
        time.sleep(60)""", "late"),
    ("raises an error that takes for ever to show", f"""
        {AGAIN.rstrip()}
        class Slow(Exception):
            def __str__(self):
                while True: pass
        raise Slow""", "late"),
    ("hangs when an object is deleted", f"""
        {AGAIN.rstrip()}
        class Last:
            def __del__(self):
                while True: pass
        Last()""", "late"),
    ("returns an object whose repr hangs", f"""
        {AGAIN.rstrip()}
        class Slow:
            def __repr__(self):
                while True: pass
        return Slow()""", "late"),
    ("hangs when imported", "return HONEST", "late", "time.sleep(60)"),
    ("spins when imported", "return HONEST", "late", "while True: pass"),
    ("dribbles and never ends its line", f"{AGAIN}while True: say(b'x'); time.sleep(0.05)", "late"),
    ("is interrupted by its own timer", "import signal; signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(5)", "crashed"),
]  # fmt: skip
