"""The style sheet of all screens, which are complete at 80 by 24 and show more on larger terminals."""

CSS = """
Screen { layers: base; }
#tabs { height: 1; background: $panel; color: $foreground; padding: 0 1; }
Footer { height: 1; }
DataTable { height: 1fr; scrollbar-size: 1 1; }
OptionList { border: none; padding: 0; scrollbar-size: 1 1; }
.error { color: $error; text-style: bold; }

#solve { height: 1fr; }
#solve-left { width: 34; padding: 1 0 0 1; }
#solve-rows { height: auto; max-height: 65%; scrollbar-size: 1 1; }
#solve-note { height: auto; min-height: 2; max-height: 6; margin: 1 1 0 0; }
#solve-answers { height: 1fr; margin: 1 1 0 0; }
#solve-right { width: 1fr; padding: 1 1 0 1; }
#solve-table { height: 1fr; min-height: 8; }
#solve-statistics { height: auto; max-height: 2; margin: 0; }
#solve-effect { height: 40%; max-height: 16; min-height: 8; }

#play { height: 1fr; }
#play-left { width: 36; padding: 1 0 0 1; }
#play-title { height: auto; margin: 0 1 1 0; text-style: bold; }
#play-rows { height: auto; max-height: 70%; scrollbar-size: 1 1; }
#play-note { height: 1fr; margin: 1 1 0 0; }
#play-right { width: 1fr; padding: 1 1 0 1; }
#play-keys { margin: 0 0 1 0; }
#play-panel { height: 1fr; scrollbar-size: 1 1; }

#watch, #replay { height: 1fr; padding: 0 1; }
#watch-head, #replay-head { height: auto; margin: 1 0 0 0; }
#watch-table { height: 2fr; }
#watch-faults-head { height: 1; text-style: bold; }
#watch-faults { height: 1fr; min-height: 4; }

#replay-filters { height: 1; margin: 0 0 0 0; }
#replay-filters Select { width: 1fr; }
#replay-filters Input { width: 14; }
#replay-body { height: 1fr; }
#replay-list { width: 45%; min-width: 36; max-width: 60; }
#replay-list.-hidden { display: none; }
#replay-game { width: 1fr; padding: 0 0 0 1; scrollbar-size: 1 1; }
#replay-board { height: 1fr; scrollbar-size: 1 1; display: none; }

ModalScreen { align: center middle; background: $background 60%; }
#help { width: 76; height: 90%; background: $surface; border: round $primary; padding: 0 1; }
#help-search { margin: 0 0 1 0; background: $panel; }
#help-body { height: 1fr; scrollbar-size: 1 1; }
.dialog { width: 60; height: auto; max-height: 95%; background: $surface; border: round $primary; padding: 0 1; }
.dialog OptionList { height: auto; max-height: 10; }
.dialog .buttons { height: 1; margin: 1 0 0 0; }
.dialog .buttons Button { margin: 0 2 0 0; }
.dialog-field { height: 1; }
.dialog-label { width: 12; }
.dialog Input, .dialog Select { width: 1fr; background: $panel; }

SetupScreen { align: left top; background: $background; }
#setup-title { height: 1; background: $panel; padding: 0 1; }
#setup-body { height: 1fr; }
#setup-fields { width: 38; padding: 0 1; scrollbar-size: 1 1; }
.setup-field { height: 1; margin: 0; }
.setup-label { width: 17; }
.setup-field Input, .setup-field Select { width: 1fr; background: $panel; }
.setup-field Button { margin: 0 0 0 1; }
#setup-exact { margin: 1 0 0 0; }
#setup-right { width: 1fr; padding: 0 1; }
.setup-head { text-style: bold; }
#setup-filters { height: 2fr; background: $panel; }
#setup-add { background: $panel; margin: 0 0 0 0; }
#setup-note { height: auto; max-height: 4; }
#setup-names { height: 1fr; background: $panel; }
"""
