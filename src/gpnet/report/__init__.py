"""What a posterior looks like; may import everything but the command line, sees only `Posterior`.

`palette` has the colours and `layout` the places of a network, both for whoever draws; `plots` are
drawn by matplotlib; `page` is the report, one file of HTML.
"""
