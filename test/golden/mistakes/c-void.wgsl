fn f() -> void {
}
