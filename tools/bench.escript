#!/usr/bin/env escript
%%! -noinput
%% `make bench`: measures and prints test/bench/kem_bench.erl, and writes its numbers as JSON to the argument.
-mode(compile).

main([File]) ->
    Lib = filename:absname("_build/test/lib/kem"),
    [code:add_patha(filename:join(Lib, Path)) || Path <- ["ebin", "test", "test/standin", "test/bench"]],
    Measures = kem_bench:run(),
    ok = kem_bench:print(Measures),
    ok = file:write_file(File, ["{\n", lists:join(",\n", [row(Measure) || Measure <- Measures]), "\n}\n"]),
    io:format("also in ~ts~n", [File]).

row(#{name := Name, microseconds := Microseconds}) ->
    io_lib:format("  \"~ts (us)\": ~.3f", [Name, float(Microseconds)]).
