%%% @doc Resident buffers, pipelines over them, and many inputs at once.
-module(kem_buffers_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1, child/2, flush/0]).

buffers_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun contents/0, fun sizes/0, fun calls/0, fun in_place/0, fun steps/0, fun binaries_in_pipelines/0, fun repeat/0,
        fun long_chain/0,
        fun many/0,
        fun reports/0, fun order_of_submission/0,
        fun shared/0,
        fun owners/0, fun bad_buffers/0, fun bad_steps/0, fun bad_calls/0, fun failures/0, fun time_limit/0,
        fun garbage/0,
        fun limits/0,
        fun in_flight/0,
        fun upgrade/0,
        fun unload/0,
        fun other_build/0,
        fun halt_with_buffers/0,
        fun no_messages/0
    ])}.

%% A step of a generator of numbers: no two of a chain give the same bytes.
-define(NEXT, {source, <<
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
    "  if i.x < arrayLength(&b) { b[i.x] = a[i.x] * 1664525u + 1013904223u + i.x; }\n}\n">>}).
-define(INCREMENT, {source, <<
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
    "  if i.x < arrayLength(&b) { b[i.x] += 1u; }\n}\n">>}).

words(Words) ->
    << <<Word:32/little>> || Word <- Words >>.

buffer(Content) ->
    {ok, Buffer} = kem:buffer(Content),
    Buffer.

contents() ->
    {ok, Zeros} = kem:buffer(6),
    ?assertEqual({ok, <<0:48>>}, kem:read(Zeros)),
    {ok, Buffer} = kem:buffer(<<"abcdefg">>),
    ?assertEqual(7, kem:size(Buffer)),
    ?assertEqual({ok, <<"abcdefg">>}, kem:read(Buffer)),
    ?assertEqual({ok, <<"cd">>}, kem:read(Buffer, 2, 2)),
    ?assertEqual({ok, <<"g">>}, kem:read(Buffer, 6, 1)),
    ?assertEqual({ok, <<>>}, kem:read(Buffer, 7, 0)),
    ?assertEqual(ok, kem:write(Buffer, 3, <<"XY">>)),
    ?assertEqual(ok, kem:write(Buffer, 7, <<>>)),
    ?assertEqual({ok, <<"abcXYfg">>}, kem:read(Buffer)),
    {ok, Longer} = kem:buffer(<<1, 2, 3>>, #{size => 5}),
    ?assertEqual({ok, <<1, 2, 3, 0, 0>>}, kem:read(Longer)).

%% Bytes of every size and at every offset near the boundaries of words, pages and a mebibyte.
sizes() ->
    [begin
        Bytes = rand:bytes(Size),
        Buffer = buffer(Bytes),
        ?assertEqual({Size, {ok, Bytes}}, {Size, kem:read(Buffer)}),
        [begin
            Length = min(5, Size - Offset),
            ?assertEqual({ok, binary:part(Bytes, Offset, Length)}, kem:read(Buffer, Offset, Length))
        end || Offset <- [0, 1, 2, 3, 4, 63, 64, 255, 256, 257, 4095, Size - 1], Offset < Size]
    end || Size <- [1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 1048575, 1048576, 1048577]].

calls() ->
    In = buffer(<<1, 3, 5, 7>>),
    {ok, Out} = kem:buffer(4),
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), In, #{})),
    ?assertEqual({ok, Out}, kem:run(kernel(double), In, #{output => Out})),
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:read(Out)),
    ?assertEqual({ok, Out}, kem:run(kernel(double), <<10, 20, 30, 40>>, #{output => Out})),
    ?assertEqual({ok, <<20, 40, 60, 80>>}, kem:read(Out)),
    {ok, Job} = kem:submit(kernel(double), Out, #{output => In}),
    ?assertEqual({ok, In}, kem:await(Job)),
    ?assertEqual({ok, <<40, 80, 120, 160>>}, kem:run(kernel(constants), In, #{constants => #{factor => 1}})),
    ?assertEqual({ok, <<2, 4, 0>>}, kem:run(kernel(double), buffer(<<1, 2, 0>>), #{output_size => 3})),
    ?assertMatch({ok, <<_:8/binary>>}, kem:run(kernel(double), In, #{output_size_hint => 2})),
    Params = <<1:32/little, 1:32/little, 1:32/little, 3:32/little>>,
    ?assertEqual({ok, Out}, kem:run(kernel(add_params), <<5:32/little>>, Params, #{dispatch => grid, output => Out})),
    ?assertEqual({ok, <<16:32/little>>}, kem:read(Out)).

in_place() ->
    Counters = buffer(words(lists:seq(1, 100))),
    Step = #{kernel => ?INCREMENT, output => Counters},
    ?assertEqual({ok, []}, kem:pipeline([Step, Step, Step], #{})),
    ?assertEqual({ok, words(lists:seq(4, 103))}, kem:read(Counters)).

steps() ->
    A = buffer(words([1, 2, 3])),
    {ok, B} = kem:buffer(12),
    Double = kernel(double),
    ?assertEqual({ok, [words([8, 16, 24]), words([4, 8, 12])]},
                 kem:pipeline([
                     #{kernel => Double, input => A, output => B},
                     #{kernel => kernel(constants), constants => #{factor => 1, "7" => 0}, input => B, output => A},
                     #{kernel => Double, input => A, output => B},
                     #{kernel => Double, input => B, output_size_hint => 1},
                     #{kernel => kernel(constants), constants => #{factor => 2}, input => A, output_size => 12}
                 ], #{})),
    ?assertEqual({ok, words([4, 8, 12])}, kem:read(B)),
    ?assertEqual({ok, []}, kem:pipeline([], #{})).

binaries_in_pipelines() ->
    {ok, Buffer} = kem:buffer(8),
    Immediates = {source, <<"var<immediate> n: u32;\n"
                            "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
                            "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
                            "@compute @workgroup_size(1) fn main() { b[0] = a[0] * 10u + n; }">>},
    Step = fun(N) -> #{kernel => Immediates, input => Buffer, immediates => <<N:32/little>>, dispatch => {1, 1, 1}} end,
    Params = <<1:32/little, 1:32/little, 1:32/little, 3:32/little>>,
    ?assertEqual({ok, [<<23:32/little, 0:32>>, <<24:32/little, 0:32>>, <<19:32/little>>, <<"abcd">>]},
                 kem:pipeline([
                     #{kernel => kernel(double), input => <<1:32/little, 9:32/little>>, output => Buffer},
                     Step(3), Step(4),
                     #{kernel => kernel(add_params), input => <<6:32/little>>, params => Params, dispatch => grid},
                     #{kernel => kernel(constants), input => <<"abcd">>, constants => #{factor => 1}}
                 ], #{timeout => 20000})).

repeat() ->
    Counters = buffer(<<0:64>>),
    Increment = #{kernel => ?INCREMENT, output => Counters},
    Copy = #{kernel => kernel(constants), constants => #{factor => 1}, input => Counters},
    ?assertEqual({ok, [words([N, N]) || N <- [5, 10, 15]]},
                 kem:pipeline([{repeat, 3, [{repeat, 5, [Increment]}, Copy]}, {repeat, 0, [Copy]}, {repeat, 2, []}], #{})),
    ?assertEqual({ok, words([15, 15])}, kem:read(Counters)),
    ?assertEqual({ok, [words([115, 115])]},
                 kem:pipeline(lists:duplicate(100, Increment) ++ [Copy], #{})).

%% 1,000 steps in one submission give the bytes of 1,000 calls.
long_chain() ->
    Input = words(lists:seq(1, 100)),
    Expected = lists:foldl(fun(_, Bytes) ->
        {ok, Next} = kem:run(?NEXT, Bytes, #{}),
        Next
    end, Input, lists:seq(1, 1000)),
    A = buffer(Input),
    {ok, B} = kem:buffer(byte_size(Input)),
    Round = [#{kernel => ?NEXT, input => A, output => B}, #{kernel => ?NEXT, input => B, output => A}],
    ?assertEqual({ok, []}, kem:pipeline([{repeat, 500, Round}], #{})),
    ?assertEqual({ok, Expected}, kem:read(A)),
    ok = kem:write(A, 0, Input),
    ?assertEqual({ok, []}, kem:pipeline(lists:append(lists:duplicate(500, Round)), #{})),
    ?assertEqual({ok, Expected}, kem:read(A)).

many() ->
    [begin
        Inputs = [words(lists:seq(N, N + N rem 70)) || N <- lists:seq(1, Count)],
        Expected = [begin
            {ok, Output} = kem:run(?NEXT, Input, #{}),
            Output
        end || Input <- Inputs],
        ?assertEqual({ok, Expected}, kem:run_many(?NEXT, Inputs, #{}))
    end || Count <- [0, 1, 2, 63, 64, 65, 100]],
    Options = #{constants => #{factor => 7}, output_size_hint => 2, timeout => 20000},
    {ok, [First, Second]} = kem:run_many(kernel(constants), [<<1:32/little>>, buffer(<<2:32/little>>)], Options),
    ?assertMatch(<<7:32/little, _:32>>, First),
    ?assertMatch(<<14:32/little, _:32>>, Second),
    ?assertMatch({error, {invalid_input, _}}, kem:run_many(?NEXT, [<<1, 2, 3, 4>>, <<>>], #{})),
    ?assertMatch({error, {invalid_kernel, _}}, kem:run_many(kernel(syntax_error), [<<1, 2, 3, 4>>], #{})).

reports() ->
    In = buffer(<<1, 3, 5, 7>>),
    {ok, Out} = kem:buffer(4),
    ?assertMatch({ok, Out, #{stages := #{execute := _}}}, kem:run(kernel(double), In, #{output => Out, report => true})),
    ?assertMatch({ok, [<<2, 6, 10, 14>>], #{kernel_origin := _}}, kem:run_many(kernel(double), [In], #{report => true})),
    ?assertMatch({ok, [], #{warnings := <<>>}},
                 kem:pipeline([#{kernel => kernel(double), input => In, output => Out}], #{report => true})),
    ?assertMatch({ok, [], #{stages := _}}, kem:pipeline([], #{report => true})).

%% Jobs that are submitted while another one uses the buffer wait for it, and for each other.
order_of_submission() ->
    Size = 20000,
    {ok, Buffer} = kem:buffer(4 * Size),
    {ok, Slow} = kem:submit(kernel(slow), binary:copy(<<1, 2, 3, 4>>, Size), #{output => Buffer}),
    {ok, Increment} = kem:submit(?INCREMENT, <<0:32>>, #{output => Buffer}),
    {ok, <<Value:32/little>>} = kem:read(Buffer, 4 * Size - 4, 4),
    ?assertEqual({ok, Buffer}, kem:await(Slow)),
    ?assertEqual({ok, Buffer}, kem:await(Increment)),
    {ok, <<Alone:32/little>>} = kem:run(kernel(slow), <<1, 2, 3, 4>>, #{}),
    ?assertEqual((Alone + 1) band 16#FFFFFFFF, Value).

%% Processes that change one buffer at the same time lose no change.
shared() ->
    Counters = buffer(<<0:256>>),
    Change = fun(Number) ->
        Step = #{kernel => ?INCREMENT, output => Counters},
        [case (Number + Round) rem 3 of
            0 -> {ok, Counters} = kem:run(?INCREMENT, <<0:32>>, #{output => Counters});
            1 -> {ok, []} = kem:pipeline([Step], #{});
            2 -> {ok, [<<Same:32/little, Same:32/little, _/binary>>]} =
                     kem:pipeline([Step, #{kernel => kernel(constants), constants => #{factor => 1}, input => Counters}], #{})
        end || Round <- lists:seq(1, 30)]
    end,
    Workers = [spawn_monitor(fun() -> Change(Number) end) || Number <- lists:seq(1, 16)],
    ?assertEqual([normal], lists:usort([receive {'DOWN', M, process, _, Reason} -> Reason end || {_, M} <- Workers])),
    ?assertEqual({ok, words(lists:duplicate(8, 16 * 30))}, kem:read(Counters)).

%% A buffer belongs to whoever refers to it, not to the process that made it.
owners() ->
    Parent = self(),
    {_, Monitor} = spawn_monitor(fun() -> Parent ! {made, kem:buffer(<<"bytes">>)} end),
    receive
        {'DOWN', Monitor, process, _, normal} -> ok
    end,
    receive
        {made, {ok, Buffer}} -> ?assertEqual({ok, <<"bytes">>}, kem:read(Buffer))
    end.

bad_buffers() ->
    Buffer = buffer(<<"abcd">>),
    [?assertMatch({_, {error, {invalid_argument, <<_, _/binary>>}}}, {Call, Result}) || {Call, Result} <- [
        {1, kem:buffer(0)}, {2, kem:buffer(<<>>)}, {3, kem:buffer(-1)}, {4, kem:buffer(1 bsl 70)}, {5, kem:buffer("text")},
        {6, kem:buffer(<<1:3>>)}, {7, kem:buffer(4, #{size => 4})}, {8, kem:buffer(<<"a">>, #{sise => 4})},
        {9, kem:buffer(<<"ab">>, #{size => 1})}, {10, kem:buffer(<<"ab">>, #{size => many})}, {11, kem:buffer(4, [])},
        {12, kem:read(make_ref())}, {13, kem:read(<<"abcd">>)}, {14, kem:read(Buffer, 0, 5)}, {15, kem:read(Buffer, 5, 0)},
        {16, kem:read(Buffer, -1, 1)}, {17, kem:read(Buffer, 0, -1)}, {18, kem:read(Buffer, 1, all)},
        {19, kem:read(Buffer, 1, 1 bsl 64)}, {20, kem:write(Buffer, 1, <<"abcd">>)}, {21, kem:write(Buffer, 0, "abcd")},
        {22, kem:write(Buffer, zero, <<"a">>)}, {23, kem:write(self(), 0, <<"a">>)}, {24, kem:size(make_ref())},
        {25, kem:size(buffer)}
    ]],
    ?assertEqual({ok, <<"abcd">>}, kem:read(Buffer)).

bad_steps() ->
    Buffer = buffer(<<"abcd">>),
    Good = #{kernel => kernel(double), input => <<1, 2, 3, 4>>, output => Buffer},
    Deep = lists:foldl(fun(_, Steps) -> [{repeat, 1, Steps}] end, [Good], lists:seq(1, 20)),
    Huge = lists:foldl(fun(_, Steps) -> [{repeat, 4000000000, Steps}] end, [Good], lists:seq(1, 10)),
    [?assertMatch({_, {error, {invalid_argument, <<_, _/binary>>}}}, {Number, kem:pipeline(Steps, #{})}) ||
        {Number, Steps} <- [
            {1, [Good | Good]}, {2, Good}, {3, [a]}, {4, [{repeat, -1, [Good]}]}, {5, [{repeat, 1, Good}]},
            {6, [{repeat, [Good]}]}, {7, [Good#{input => Buffer}]}, {8, [maps:remove(kernel, Good)]},
            {9, [Good#{kernel => 7}]}, {10, [Good#{input => 7}]}, {11, [Good#{output => <<>>}]},
            {12, [Good#{output_size => 4}]}, {13, [Good#{timeout => 4}]}, {14, [Good#{report => true}]},
            {15, [Good#{image => true}]}, {16, [Good, Good#{dispatch => sideways}]}, {17, [{repeat, 4097, [Good]}]},
            {18, lists:duplicate(4097, Good)}, {19, Deep}, {20, Huge}, {21, [Good#{constants => #{a => b}}]},
            {22, [maps:remove(input, maps:remove(output, Good))]}
        ]],
    {error, {invalid_argument, Message}} = kem:pipeline([Good, Good#{dispatch => sideways}], #{}),
    ?assertMatch({match, _}, re:run(Message, "^step 2: ")),
    ?assertMatch({error, {invalid_argument, _}}, kem:pipeline([Good], #{params => <<>>})),
    ?assertMatch({error, {invalid_argument, _}}, kem:pipeline([Good], [])),
    ?assertEqual({ok, []}, kem:pipeline([{repeat, 4096, [Good]}], #{})).

bad_calls() ->
    Buffer = buffer(<<"abcd">>),
    [?assertMatch({_, {error, {invalid_argument, <<_, _/binary>>}}}, {Number, Result}) || {Number, Result} <- [
        {1, kem:run(kernel(double), Buffer, #{output => Buffer})},
        {2, kem:run(kernel(double), make_ref(), #{})},
        {3, kem:run(kernel(double), <<1>>, #{output => <<1>>})},
        {4, kem:run(kernel(double), <<1>>, #{output => Buffer, output_size_hint => 1})},
        {5, kem:run(kernel(double), Buffer, #{image => true})},
        {6, kem:run(kernel(double), <<1>>, #{image => true, output => Buffer})},
        {7, kem:run_many(kernel(double), [<<1>>], #{output => Buffer})},
        {8, kem:run_many(kernel(double), [<<1>>], #{image => true})},
        {9, kem:run_many(kernel(double), <<1>>, #{})},
        {10, kem:run_many(kernel(double), [<<1>> | <<2>>], #{})},
        {11, kem:run_many(kernel(double), [<<1>>, one], #{})},
        {12, kem:run_many(kernel(double), lists:duplicate(4097, <<1>>), #{})}
    ]],
    ?assertMatch({error, {invalid_kernel_id, _}}, kem:run(<<"short">>, Buffer, #{})),
    ?assertMatch({error, {kernel_not_found, _}}, kem:run(kernel(nowhere), Buffer, #{})),
    ?assertMatch({error, {invalid_binding, _}}, kem:run(kernel(missing_params), Buffer, #{})),
    ?assertMatch({error, {invalid_binding, _}},
                 kem:pipeline([#{kernel => kernel(double), output => Buffer}], #{})),
    ?assertEqual({ok, <<"abcd">>}, kem:read(Buffer)).

%% All or nothing; what comes after a failure finds the buffers free.
failures() ->
    Buffer = buffer(<<1, 2, 3, 4>>),
    Good = #{kernel => kernel(double), input => Buffer},
    ?assertMatch({error, {invalid_kernel, _}}, kem:pipeline([Good, Good#{kernel => kernel(syntax_error)}], #{})),
    ?assertMatch({error, {invalid_binding, _}}, kem:pipeline([Good, Good#{kernel => kernel(no_output)}], #{})),
    ?assertMatch({error, {output_too_large, _}}, kem:pipeline([Good, Good#{output_size_hint => 100000000}], #{})),
    ?assertEqual({ok, [<<2, 4, 6, 8>>]}, kem:pipeline([Good], #{})).

time_limit() ->
    {ok, Buffer} = kem:buffer(4000000),
    Slow = #{kernel => kernel(slow), input => binary:copy(<<1, 2, 3, 4>>, 1000000), output => Buffer},
    ?assertMatch({error, {timeout, _}}, kem:pipeline([{repeat, 10, [Slow]}], #{timeout => 50})),
    {Pid, Monitor} = spawn_monitor(fun() -> kem:pipeline([{repeat, 100, [Slow]}], #{}) end),
    timer:sleep(50),
    exit(Pid, kill),
    receive
        {'DOWN', Monitor, process, Pid, killed} -> ok
    end,
    ?assertEqual(ok, kem:write(Buffer, 0, <<"free">>)),
    ?assertMatch({ok, _}, kem:read(Buffer, 0, 4)).

%% 10,000 MiB pass through a limit of 64.
garbage() ->
    ?assertEqual({ok, {10000, {ok, <<"kept">>}, 4}}, child([{"KEM_MAX_RESIDENT_BYTES", "67108864"}], "
        ok = kem_test_lib:start(),
        {ok, Kept} = kem:buffer(<<\"kept\">>),
        Made = lists:sum([begin {ok, _} = kem:buffer(1048576), 1 end || _ <- lists:seq(1, 10000)]),
        Wait = fun Wait(Left) ->
            _ = erlang:garbage_collect(),
            case kem:stats() of
                {ok, #{resident_bytes := Bytes}} when Bytes > 4, Left > 0 -> timer:sleep(10), Wait(Left - 1);
                {ok, #{resident_bytes := Bytes}} -> Bytes
            end
        end,
        {Made, kem:read(Kept), Wait(500)}")).

limits() ->
    {ok, {First, Second, Third}} = child([{"KEM_MAX_RESIDENT_BYTES", "1000"}], "
        ok = kem_test_lib:start(),
        {ok, Buffer} = kem:buffer(600),
        {kem:buffer(401), kem:buffer(400), {kem:size(Buffer), kem:buffer(1001)}}"),
    ?assertMatch({error, {out_of_memory, _}}, First),
    ?assertMatch({ok, _}, Second),
    ?assertMatch({600, {error, {out_of_memory, _}}}, Third).

in_flight() ->
    {ok, {TooLarge, TooWide, Busy, After}} = child([{"KEM_MAX_IN_FLIGHT_BYTES", "6000000"}], "
        ok = kem_test_lib:start(),
        Double = kem_test_lib:kernel(double),
        Input = binary:copy(<<1, 2, 3, 4>>, 500000),
        {ok, Job} = kem:submit(kem_test_lib:kernel(slow), Input, #{}),
        Busy = kem:run(Double, Input, #{}),
        ok = kem:cancel(Job),
        Try = fun Try(0) -> gave_up;
                  Try(Left) ->
                      case kem:run(Double, Input, #{}) of
                          {error, busy} -> timer:sleep(10), Try(Left - 1);
                          {ok, Output} -> byte_size(Output)
                      end
              end,
        {kem:run(Double, binary:copy(Input, 4), #{}), kem:run(Double, Input, #{output_size_hint => 3}), Busy, Try(1000)}"),
    ?assertMatch({error, {input_too_large, _}}, TooLarge),
    ?assertMatch({error, {output_too_large, _}}, TooWide),
    ?assertEqual({error, busy}, Busy),
    ?assertEqual(2000000, After).

%% The same build goes on: buffers stay.
upgrade() ->
    ?assertEqual({ok, {true, {ok, <<"bytes">>}, {ok, [<<2, 4>>]}}}, child([], "
        ok = kem_test_lib:start(),
        {ok, Buffer} = kem:buffer(<<\"bytes\">>),
        [begin {module, kem_nif} = code:load_file(kem_nif), code:purge(kem_nif) end || _ <- [1, 2, 3]],
        {kem_nif:running_nif(), kem:read(Buffer), kem:run_many(kem_test_lib:kernel(double), [<<1, 2>>], #{})}")).

-define(OLD_AND_NEW, "
        Read = kem:read(Buffer),
        Run = kem:run(kem_test_lib:kernel(double), Buffer, #{output => Other}),
        Size = kem:size(Buffer),
        {Read, Run, Size, kem:read(Other)}").
-define(IN_A_PROCESS_OF_ITS_OWN, "
        Own = fun(Fun) ->
            {_, Monitor} = spawn_monitor(fun() -> exit({value, Fun()}) end),
            receive {'DOWN', Monitor, process, _, {value, Value}} -> Value end
        end,").

%% The VM forgets an unloaded library's resources: they are references like any others. Collecting them does no harm.
unload() ->
    ?assertMatch({ok, {{{error, {invalid_argument, _}}, {error, {invalid_argument, _}}, {error, {invalid_argument, _}},
                        {ok, <<"other">>}}, {ok, <<"last">>}}}, child([], "
        ok = kem_test_lib:start()," ?IN_A_PROCESS_OF_ITS_OWN "
        Result = Own(fun() ->
            {ok, Buffer} = kem:buffer(<<\"bytes\">>),
            true = code:delete(kem_nif),
            _ = code:purge(kem_nif),
            {ok, Other} = kem:buffer(<<\"other\">>)," ?OLD_AND_NEW "
        end),
        timer:sleep(100),
        {ok, Last} = kem:buffer(<<\"last\">>),
        {Result, kem:read(Last)}")).

%% A library of another file takes the resources over, but not what they refer to.
other_build() ->
    ?assertMatch({ok, {{{error, {device_lost, _}}, {error, {device_lost, _}}, {error, {device_lost, _}},
                        {ok, <<"other">>}}, {ok, <<"last">>}}}, child([], "
        ok = kem_test_lib:start()," ?IN_A_PROCESS_OF_ITS_OWN "
        Copy = filename:join(kem_test_lib:directory(\"copy\"), \"kem_nif.so\"),
        {ok, _} = file:copy(kem_nif:library() ++ \".so\", Copy),
        Result = Own(fun() ->
            {ok, Buffer} = kem:buffer(<<\"bytes\">>),
            true = os:putenv(\"KEM_NIF_PATH\", Copy),
            {module, kem_nif} = code:load_file(kem_nif),
            {ok, Other} = kem:buffer(<<\"other\">>)," ?OLD_AND_NEW "
        end),
        timer:sleep(100),
        _ = code:purge(kem_nif),
        {ok, Last} = kem:buffer(<<\"last\">>),
        {Result, kem:read(Last)}")).

%% The VM ends in order while buffers are referred to, and one is written.
halt_with_buffers() ->
    [?assertMatch({failed, 7, <<>>}, child([], "
        ok = kem_test_lib:start(),
        {ok, Kept} = kem:buffer(100000),
        {ok, Written} = kem:buffer(4000000),
        {ok, []} = kem:pipeline([#{kernel => kem_test_lib:kernel(double), input => Kept, output => Written}], #{}),
        Input = binary:copy(<<1, 2, 3, 4>>, 1000000),
        {ok, _} = kem:submit(kem_test_lib:kernel(slow), Input, #{output => Written}),
        timer:sleep(" ++ Wait ++ "), halt(7)")) || Wait <- ["0", "20"]].

no_messages() ->
    ?assertEqual([], flush()).
