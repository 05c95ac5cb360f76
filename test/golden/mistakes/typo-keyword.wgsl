strcut S { a: i32 }
