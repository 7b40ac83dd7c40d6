"""HTML pages about runs. Each page is a single file that works offline.

    page = run_page([RunReport(RunRecords(run)).page_model()])

Texts from entries are untrusted: they are escaped here, and scripts only put them into text nodes. The content security
policy allows only the page's own script and style, by their digests.
"""
