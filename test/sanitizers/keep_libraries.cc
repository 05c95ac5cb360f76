// Linked into every program of a sanitizer build: libraries, once loaded, stay. The Vulkan loader unloads a driver when
// its last instance goes; what the driver's globals pointed to would then be a leak of an unknown module, and a
// report's addresses would have no names. Leaks of our own are found as before.
//
// It takes the place of the C library's function: the program's symbols are found first.
extern "C" __attribute__((visibility("default"))) int dlclose(void* /*handle*/) { return 0; }
