%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: an event goes to the process that the
%%% option `event_listener' names, if there is one. The event is returned, as there.
-module(hb_event).

-export([log/6]).

log(Topic, Event, Module, Function, Line, Opts) ->
    true = is_atom(Topic) andalso is_atom(Module) andalso is_atom(Function) andalso is_integer(Line),
    case Opts of
        #{event_listener := Listener} -> Listener ! {hb_event, Topic, Event};
        _ -> ok
    end,
    Event.
