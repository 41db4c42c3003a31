-- Keep an observation. ARGV: observation (JSON) -> 1
observe({ARGV[1]})
return 1
