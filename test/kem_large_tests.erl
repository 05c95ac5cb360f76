%%% @doc Large calls, whose bytes the device may read and write where Erlang has them: nobody else's are touched, and what
%%% Erlang has got stays as it is.
-module(kem_large_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1, child/2, flush/0]).

-define(BYTES, (1 bsl 20)).
%% Every third word is left out.
-define(GAPS, {source, <<"
    @group(0) @binding(0) var<storage, read> source: array<u32>;
    @group(0) @binding(1) var<storage, read_write> result: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3u) {
      if (at.x < arrayLength(&result) && at.x % 3u != 0u) { result[at.x] = source[at.x] * 2u; }
    }">>}).
%% As if there were no end to the input: the whole of it must be what the kernel can see.
-define(BEYOND, {source, <<"
    @group(0) @binding(0) var<storage, read> source: array<u32>;
    @group(0) @binding(1) var<storage, read_write> result: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3u) {
      result[at.x] = source[at.x + 2u * arrayLength(&source)] ^ arrayLength(&source);
    }">>}).

large_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun results_stay/0, fun reads_stay/0, fun lengths_and_places/0, fun gaps_are_zeros/0,
        fun beyond_the_input/0, fun many/0, fun a_result_is_an_input/0, fun given_up/0, fun callers_die/0, fun upgrade/0, fun unload/0,
        fun other_build/0
    ])}.

input(Seed, Bytes) ->
    binary:copy(<<Seed:32/little, (Seed + 1):32/little, 255, 254, 253, 252>>, Bytes div 12 + 1).

words(Binary) ->
    [Word || <<Word:32/little>> <= Binary].

doubled(Binary) ->
    << <<(Word * 2):32/little>> || <<Word:32/little>> <= Binary >>.

%% The memory of a result is used again, but only when Erlang has let go of it.
results_stay() ->
    Inputs = [binary:part(input(Seed, ?BYTES), 0, ?BYTES) || Seed <- lists:seq(1, 6)],
    Results = [begin
        {ok, Result} = kem:run(kernel(double), Input, #{}),
        {ok, _} = kem:run(?GAPS, Input, #{}),
        true = erlang:garbage_collect(),
        Result
    end || Input <- Inputs],
    ?assertEqual([doubled(Input) || Input <- Inputs], Results).

%% So is that of what is read from buffers, which nobody clears: no byte of what it held before is to be seen.
reads_stay() ->
    Contents = [binary:part(input(Seed, ?BYTES + 64), 0, ?BYTES + Seed) || Seed <- lists:seq(1, 6)],
    Reads = [begin
        {ok, Buffer} = kem:buffer(Content),
        {ok, Whole} = kem:read(Buffer),
        {ok, Part} = kem:read(Buffer, 3, ?BYTES - 7),
        {ok, _} = kem:run(?GAPS, Content, #{}),
        true = erlang:garbage_collect(),
        {Whole, Part}
    end || Content <- Contents],
    ?assertEqual([{Content, binary:part(Content, 3, ?BYTES - 7)} || Content <- Contents], Reads).

%% Of any length, and beginning anywhere in a binary.
lengths_and_places() ->
    Whole = input(7, ?BYTES + 64),
    [begin
        Input = binary:part(Whole, Offset, Bytes),
        Padded = <<Input/binary, 0:(8 * ((4 - Bytes rem 4) rem 4))>>,
        {ok, Result} = kem:run(kernel(double), Input, #{}),
        ?assertEqual({Offset, Bytes, true}, {Offset, Bytes, Result =:= binary:part(doubled(Padded), 0, Bytes)})
    end || Offset <- [0, 1, 4, 16, 61], Bytes <- [?BYTES - 1, ?BYTES - 4, 131072, 131075]],
    ?assertEqual(input(7, ?BYTES + 64), Whole).

gaps_are_zeros() ->
    Input = binary:copy(<<9:32/little>>, ?BYTES div 4),
    Expected = binary:copy(<<0:32, 18:32/little, 18:32/little>>, ?BYTES div 12 + 1),
    [begin
        {ok, Result} = kem:run(?GAPS, Input, #{}),
        ?assert(Result =:= binary:part(Expected, 0, ?BYTES)),
        {ok, _} = kem:run(kernel(double), Input, #{}),
        true = erlang:garbage_collect()
    end || _ <- lists:seq(1, 5)].

%% What lies behind the input in its page is out of reach: an index past the end is the last one's, or gives zero.
beyond_the_input() ->
    Input = binary:copy(<<3:32/little>>, ?BYTES div 4 - 5),
    {ok, Result} = kem:run(?BEYOND, Input, #{}),
    Length = ?BYTES div 4 - 5,
    ?assertEqual([], lists:usort(words(Result)) -- [Length, Length bxor 3]).

many() ->
    Inputs = [binary:part(input(Seed, ?BYTES), 0, ?BYTES - 4 * Seed) || Seed <- lists:seq(1, 5)] ++ [<<1, 3, 5, 7>>],
    {ok, Results} = kem:run_many(kernel(double), Inputs, #{}),
    ?assertEqual([doubled(Input) || Input <- Inputs], Results).

a_result_is_an_input() ->
    Input = binary:copy(<<1:32/little>>, ?BYTES div 4),
    Result = lists:foldl(fun(_, Last) -> {ok, Next} = kem:run(kernel(double), Last, #{}), Next end, Input, lists:seq(1, 20)),
    ?assert(Result =:= binary:copy(<<(1 bsl 20):32/little>>, ?BYTES div 4)),
    {ok, Tail} = kem:run(kernel(double), binary:part(Result, 4096, 200000), #{}),
    ?assert(Tail =:= binary:copy(<<(1 bsl 21):32/little>>, 50000)).

%% The device may go on with what nobody waits for: what it reads and writes stays meanwhile, and the next calls are right.
given_up() ->
    Input = input(5, ?BYTES),
    [begin
        {error, {timeout, _}} = kem:run(kernel(slow), binary:copy(<<1, 2, 3, N>>, 1000000), #{timeout => 15}),
        {ok, Job} = kem:submit(kernel(slow), binary:copy(<<1, 2, 3, N>>, 1000000), #{}),
        timer:sleep(N),
        ok = kem:cancel(Job),
        true = erlang:garbage_collect(),
        {ok, Result} = kem:run(kernel(double), Input, #{}),
        ?assert(Result =:= doubled(Input))
    end || N <- lists:seq(1, 8)],
    ?assertEqual([], flush()).

callers_die() ->
    Input = input(6, ?BYTES),
    [begin
        {Pid, Monitor} = spawn_monitor(fun() ->
            {ok, _} = kem:submit(kernel(slow), binary:copy(<<1, 2, 3, N>>, 1000000), #{}),
            kem:run(kernel(double), input(N, ?BYTES), #{})
        end),
        timer:sleep(N),
        exit(Pid, kill),
        receive {'DOWN', Monitor, process, Pid, _} -> ok end,
        {ok, Result} = kem:run(kernel(double), Input, #{}),
        ?assert(Result =:= doubled(Input))
    end || N <- lists:seq(1, 8)].

-define(PRELUDE, "
    ok = kem_test_lib:start(),
    Double = kem_test_lib:kernel(double),
    Input = binary:copy(<<1:32/little>>, 1000000),
    Right = binary:copy(<<2:32/little>>, 1000000),
    Run = fun() -> {ok, Result} = kem:run(Double, Input, #{}), Result end,
    Load = fun() -> {module, kem_nif} = code:load_file(kem_nif) end,
    Collect = fun() -> true = erlang:garbage_collect() end,
    ").

value(Expression) ->
    {ok, Value} = child([], ?PRELUDE ++ Expression),
    Value.

%% Results of before an upgrade are the same after it, and their memory goes whichever code is there by then.
upgrade() ->
    ?assertEqual(
        [true],
        value("
            Kept = [begin Load(), Result = Run(), code:purge(kem_nif), Result end || _ <- lists:seq(1, 5)],
            Same = lists:usort([Result =:= Right || Result <- Kept ++ [Run()]]),
            Collect(), Run(), Collect(), Same")).

unload() ->
    ?assertEqual(
        [true],
        value("
            Same = fun() ->
                Kept = [begin Result = Run(), true = code:delete(kem_nif), code:purge(kem_nif), Result end
                        || _ <- lists:seq(1, 3)],
                lists:usort([Result =:= Right || Result <- Kept])
            end(),
            Collect(), true = Run() =:= Right, Collect(), Same")).

other_build() ->
    ?assertEqual(
        [true],
        value("
            Copy = filename:join(kem_test_lib:directory(\"copy\"), \"kem_nif.so\"),
            {ok, _} = file:copy(kem_nif:library() ++ \".so\", Copy),
            Same = fun() ->
                Kept = Run(),
                true = os:putenv(\"KEM_NIF_PATH\", Copy),
                Load(),
                true = code:purge(kem_nif) orelse true,
                lists:usort([Result =:= Right || Result <- [Kept, Run(), Kept]])
            end(),
            Collect(), true = Run() =:= Right, Collect(), Same")).
