"""placeholder until results are wired"""


class RunPages:
    def __init__(self, config, worker): ...
    def routes(self):
        return []
