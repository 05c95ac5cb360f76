#!/usr/bin/env escript
%%! -noinput
%% `make bench`: measures with test/bench/kem_bench.erl, prints a table and writes it as JSON.
%% bench.escript FILE [seconds=S] [rounds=N] [memory_calls=N] [peers=false] [devices=KEM_DEVICE]
-mode(compile).

main(Arguments) ->
    Lib = filename:absname("_build/test/lib/kem"),
    [code:add_patha(filename:join(Lib, Path)) || Path <- ["ebin", "test", "test/standin", "test/bench"]],
    ok = kem_bench:main(Arguments).
