%%% @doc Stands in for Prometheus's module of this name in the device's tests: a metric is the tuple of what it is made of.
-module(prometheus_model_helpers).

-export([create_mf/4]).

create_mf(Name, Help, Type, Values) ->
    {Name, Help, Type, Values}.
