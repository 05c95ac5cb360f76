static var x: i32;
