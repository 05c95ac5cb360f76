%%% @doc The node's options: every row's coercion, what is refused, and that docs/hyperbeam.md has the same rows.
-module(kem_options_tests).

-include_lib("eunit/include/eunit.hrl").

read(Opts) ->
    kem_options:read(Opts).

defaults_test() ->
    {ok, Options} = read(#{port => 8734, other => 1}),
    [?assertEqual({Option, Default}, {Option, maps:get(Option, Options)}) || {Option, _, Default, _} <- kem_options:table()],
    ?assertEqual(#{}, maps:get(engine, Options)).

%% Two kernel ids.
-define(A, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(B, <<"GBPZsoX_NugmvImUVUn0loXeJbAb-U6QVgOWRWuYVIE">>).

coercion_test() ->
    [?assertEqual({Option, Given, {ok, Wanted}}, {Option, Given, value(read(#{Option => Given}), Option)}) ||
        {Option, Givens, Wanted} <- [
            {kem_inline_source, [true, <<"true">>, <<"1">>, <<"on">>, 1], true},
            {kem_inline_source, [false, <<"false">>, <<"0">>, <<"off">>], false},
            {kem_allow_kernels, [[?A, ?B], <<?A/binary, ",", ?B/binary>>, <<" ", ?A/binary, " , ", ?B/binary, " ">>,
                                 #{<<"1">> => ?A, <<"2">> => ?B}], [?A, ?B]},
            {kem_allow_kernels, [<<>>, []], []},
            {kem_deny_callers, [<<>>, []], []},
            {kem_deny_callers, [[<<"a">>, <<"b">>], <<"a, b">>], [<<"a">>, <<"b">>]},
            {kem_max_jobs_per_caller, [3, <<"3">>], 3},
            {kem_relay_attempts, [42, <<"42">>, <<" 42 ">>], 42},
            {kem_price_kernels, [<<?A/binary, "=2, ", ?B/binary, "=30">>, #{?A => 2, ?B => <<"30">>}], #{?A => 2, ?B => 30}},
            {kem_upload, [off, <<"off">>], off},
            {kem_upload_endpoint, [<<"https://example.org/a?b">>], <<"https://example.org/a?b">>},
            {priv_kem_upload_token, [<<"t">>], <<"t">>}
        ], Given <- Givens].

value({ok, Options}, Option) -> {ok, maps:get(Option, Options)};
value(Error, _) -> Error.

%% Binary keys are the same options.
names_test() ->
    ?assertEqual({ok, 7}, value(read(#{<<"kem_relay_attempts">> => <<"7">>}), kem_relay_attempts)).

refused_test() ->
    [begin
        {error, {invalid_argument, Message}} = read(#{Option => Value}),
        ?assertMatch({match, _}, re:run(Message, atom_to_list(Option))),
        ?assertEqual([Message], kem_options:problems(#{Option => Value}))
    end || {Option, Value} <- [
        {kem_inline_source, <<"perhaps">>}, {kem_allow_kernels, 5}, {kem_allow_kernels, [1]}, {kem_relay_attempts, 0},
        {kem_relay_attempts, <<"4x">>}, {kem_price_call, -1}, {kem_price_kernels, ?A}, {kem_price_kernels, <<"a=1">>},
        {kem_price_kernels, <<?A/binary, "=b">>}, {kem_deny_kernels, <<"not an id">>}, {kem_deny_callers, 1},
        {kem_max_jobs_per_caller, 0}, {kem_max_jobs_per_caller, <<"unlimited">>},
        {kem_upload, <<"sometimes">>}, {kem_upload, <<"always">>}, {kem_upload_endpoint, 5},
        {kem_upload_endpoint, <<"example.org">>}, {kem_upload_endpoint, <<"ftp://example.org">>}, {kem_kernel_stroe, <<"/here">>}, {priv_kem_token, <<"x">>}
    ]],
    {error, {invalid_argument, Two}} = read(#{kem_upload => 1, kem_nonsense => 2}),
    ?assertMatch({match, _}, re:run(Two, "kem_upload.*kem_nonsense|kem_nonsense.*kem_upload")).

%% The engine's rows go to it under its names, and the host's gateway is the one where the operator names none.
engine_test() ->
    ?assertEqual(#{gateways => <<"http://a,http://b">>, queue_length => <<"9">>},
                 kem_options:engine(#{kem_gateways => <<"http://a,http://b">>, kem_queue_length => <<"9">>,
                                      gateway => <<"http://c">>})),
    ?assertEqual(#{gateways => [<<"http://a">>, <<"http://b">>]},
                 kem_options:engine(#{kem_gateways => #{<<"1">> => <<"http://a">>, <<"2">> => <<"http://b">>}})),
    ?assertEqual(#{gateways => <<"http://c">>}, kem_options:engine(#{gateway => <<"http://c">>})),
    ?assertEqual(#{gateways => <<>>}, kem_options:engine(#{gateway => <<"http://c">>, kem_gateways => <<>>})),
    ?assertEqual(#{}, kem_options:engine(#{})).

%% The table for operators has every row, and no other.
documented_test() ->
    Source = proplists:get_value(source, ?MODULE:module_info(compile)),
    Project = filename:dirname(filename:dirname(Source)),
    {ok, Text} = file:read_file(filename:join([Project, "docs", "hyperbeam.md"])),
    [_, Section] = re:split(Text, "^## Options$", [multiline, {parts, 2}]),
    [Table, _] = re:split(Section, "^## ", [multiline, {parts, 2}]),
    {match, Rows} = re:run(Table, "^\\| `((?:priv_)?kem_[a-z_]+)`", [global, multiline, {capture, all_but_first, binary}]),
    Options = [atom_to_binary(Option) || {Option, _, _, _} <- kem_options:table()] ++ kem_options:engine_options(),
    ?assertEqual(lists:sort(Options), lists:sort(lists:append(Rows))).
