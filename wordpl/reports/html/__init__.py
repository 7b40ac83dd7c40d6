"""One HTML file that shows a run: it opens from disk, offline, and may be sent or hosted as it is.

    page = run_page([RunReport(RunRecords(run)).page_model()])

Everything an entry controls is text: it is escaped here, and in the page only ever put into text nodes. The content
security policy allows the page's own script and style by their digests, and nothing else.
"""
