%%% @doc Stands in for Prometheus's module of this name in the device's tests: what it is told goes to the process that is
%%% registered as `prometheus_sup', which a test is where it wants metrics.
-module(prometheus_histogram).

-export([declare/1, observe/3]).

declare(Specification) ->
    prometheus_sup ! {declared, histogram, proplists:get_value(name, Specification)}.

observe(Name, Labels, Value) ->
    prometheus_sup ! {observed, Name, Labels, Value}.
