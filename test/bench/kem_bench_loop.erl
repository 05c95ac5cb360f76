%%% @doc The measured loop, compiled: a fun of the child VM's expression would be interpreted.
-module(kem_bench_loop).

-export([times/2]).

%% @doc Nanoseconds of each of so many calls, one after the other.
-spec times(binary(), non_neg_integer()) -> [non_neg_integer()].
times(_, 0) ->
    [];
times(Input, Left) ->
    Begin = erlang:monotonic_time(nanosecond),
    _ = kem_nif:execute_kernel(<<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>, Input, 1),
    [erlang:monotonic_time(nanosecond) - Begin | times(Input, Left - 1)].
