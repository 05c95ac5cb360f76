%%% @doc Stands in for Prometheus's module of this name in the device's tests: what it is told goes to the process that is
%%% registered as `prometheus_sup', which a test is where it wants metrics.
-module(prometheus_counter).

-export([declare/1, inc/3]).

declare(Specification) ->
    prometheus_sup ! {declared, counter, proplists:get_value(name, Specification)}.

inc(Name, Labels, Value) ->
    prometheus_sup ! {counted, Name, Labels, Value}.
