%%% @doc Stands in for HyperBEAM's device `simple-pay@1.0' in the device's tests: every request costs 3.
-module(dev_simple_pay).

-export([info/1, estimate/3, price/3]).

info(_) -> #{exports => [estimate, price]}.

estimate(_, _, _) -> {ok, 3}.

price(_, _, _) -> {ok, 3}.
