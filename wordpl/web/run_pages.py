"""placeholder until results are wired"""
from starlette.routing import Route
class RunPages:
    def __init__(self, config, worker): ...
    def routes(self): return []
