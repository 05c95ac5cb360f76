layout(binding = 0) uniform Params { float a; };
