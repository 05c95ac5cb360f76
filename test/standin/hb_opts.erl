%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: options are those of the map alone.
-module(hb_opts).

-export([get/3]).

get(Key, Default, Opts) when is_atom(Key) ->
    maps:get(Key, Opts, Default).
