%%% @doc Stands in for Prometheus's module of this name in the device's tests: what it is told goes to the process that is
%%% registered as `prometheus_sup', which a test is where it wants metrics.
-module(prometheus_registry).

-export([register_collector/1]).

register_collector(Collector) ->
    prometheus_sup ! {collector, Collector},
    ok.
