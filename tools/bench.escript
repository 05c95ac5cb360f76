#!/usr/bin/env escript
%%! -noinput
%% `make bench`: measures and prints test/bench/kem_bench.erl, and writes its numbers as JSON to the argument.
-mode(compile).

main([File]) ->
    [code:add_patha(filename:absname(Path)) || Path <- filelib:wildcard("_build/test/lib/kem/{ebin,test,test/*}")],
    Measures = kem_bench:run(),
    ok = kem_bench:print(Measures),
    ok = file:write_file(File, ["{\n", lists:join(",\n", [row(Measure) || Measure <- Measures]), "\n}\n"]),
    io:format("also in ~ts~n", [File]).

row(#{name := Name, microseconds := Microseconds}) ->
    io_lib:format("  \"~ts (us)\": ~.3f", [Name, float(Microseconds)]).
