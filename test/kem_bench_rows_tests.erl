%%% @doc What `make bench' says of its values.
-module(kem_bench_rows_tests).

-include_lib("eunit/include/eunit.hrl").

decoded(Row) ->
    [Object] = hb_json:decode(iolist_to_binary(kem_bench_rows:json([Row]))),
    Object.

a_value_alone_is_held_to_its_target_test() ->
    Row = fun(Value, Target) -> decoded(kem_bench_rows:row(<<"calls">>, Value, <<"/s">>, #{target => Target})) end,
    ?assertEqual(#{<<"name">> => <<"calls">>, <<"value">> => 40000.0, <<"unit">> => <<"/s">>,
                   <<"target">> => <<">= 40000 /s">>, <<"met">> => true}, Row(40000, {at_least, 40000})),
    ?assertMatch(#{<<"met">> := false}, Row(39999, {at_least, 40000})),
    ?assertMatch(#{<<"met">> := true}, Row(3, {at_most, 3})),
    ?assertMatch(#{<<"met">> := false, <<"target">> := <<"<= 3 /s">>}, Row(3.01, {at_most, 3})).

beside_a_floor_or_a_peer_the_ratio_is_held_to_it_test() ->
    Beside = #{beside => {floor, <<"empty submit">>, 10}, target => {at_most, 1.5}},
    ?assertMatch(#{<<"floor">> := #{<<"name">> := <<"empty submit">>, <<"value">> := 10}, <<"ratio">> := 2.0,
                   <<"target">> := <<"<= 1.50 x">>, <<"met">> := false},
                 decoded(kem_bench_rows:row(<<"call">>, 20, <<"us">>, Beside))),
    ?assertMatch(#{<<"ratio">> := 1.4, <<"met">> := true},
                 decoded(kem_bench_rows:row(<<"call">>, 20, <<"us">>, Beside#{ratio => 1.4}))),
    ?assertMatch(#{<<"peer">> := #{<<"name">> := <<"Dawn">>}},
                 decoded(kem_bench_rows:row(<<"call">>, 20, <<"us">>, #{beside => {peer, <<"Dawn">>, 5}}))).

rows_without_a_target_are_not_judged_test() ->
    Row = decoded(kem_bench_rows:row(<<"x">>, 1, <<"ms">>)),
    ?assertEqual([<<"name">>, <<"unit">>, <<"value">>], lists:sort(maps:keys(Row))).

what_is_skipped_says_why_test() ->
    [Row] = kem_bench_rows:on(<<"driver">>, [kem_bench_rows:skipped(<<"Dawn">>, ["no ", "node"])]),
    ?assertEqual(#{<<"name">> => <<"Dawn">>, <<"skipped">> => <<"no node">>, <<"driver">> => <<"driver">>}, decoded(Row)),
    ?assertNotEqual(nomatch, string:find(kem_bench_rows:table([Row]), "skipped: Dawn on driver: no node")).

a_table_has_a_heading_for_each_driver_test() ->
    Row = kem_bench_rows:row(<<"call">>, 1234, <<"us">>),
    Text = iolist_to_binary(kem_bench_rows:table(kem_bench_rows:on(<<"one">>, [Row, Row])
                                                 ++ kem_bench_rows:on(<<"two">>, [Row]))),
    ?assertEqual([<<"one">>, <<"two">>],
                 [Driver || <<"== ", Driver/binary>> <- binary:split(Text, <<"\n">>, [global])]),
    ?assertEqual(3, length(binary:matches(Text, <<"1234  us">>))).

percentiles_are_of_the_values_test() ->
    ?assertEqual(2, kem_bench_rows:median([3, 1, 2])),
    ?assertEqual(99, kem_bench_rows:percentile(lists:seq(1, 100), 0.99)),
    ?assertEqual(7, kem_bench_rows:percentile([7], 0.99)).
