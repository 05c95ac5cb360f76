%%% @doc What a step costs in a chain of 1,000 over two resident buffers, submitted as one pipeline.
-module(kem_bench_chain).

-export([run/0]).

-define(STEPS, 1000).
-define(ROUNDS, 21).
-define(KERNEL, {source, <<
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
    "  if i.x < arrayLength(&b) { b[i.x] = a[i.x] + 1u; }\n}\n">>}).

%% @doc Nanoseconds a step: the median of the rounds, each the whole call from Erlang, over 16-byte buffers.
-spec run() -> float().
run() ->
    {ok, A} = kem:buffer(16),
    {ok, B} = kem:buffer(16),
    Steps = [{repeat, ?STEPS div 2, [#{kernel => ?KERNEL, input => A, output => B},
                                     #{kernel => ?KERNEL, input => B, output => A}]}],
    _ = [once(Steps) || _ <- [1, 2, 3]],
    Times = lists:sort([once(Steps) || _ <- lists:seq(1, ?ROUNDS)]),
    {ok, <<Value:32/little, _/binary>>} = kem:read(A),
    Value = ?STEPS * (?ROUNDS + 3),
    lists:nth(?ROUNDS div 2 + 1, Times) / ?STEPS.

once(Steps) ->
    Begin = erlang:monotonic_time(nanosecond),
    {ok, []} = kem:pipeline(Steps, #{}),
    erlang:monotonic_time(nanosecond) - Begin.
