@ group ( 0 ) @ binding ( 0 ) var < storage , read_write > data : array < u32 > ;
fn search ( n : u32 ) -> u32 {
loop {
if ( data [ n ] == 3 ) {
return 3 ;
}
}
}
@ compute @ workgroup_size ( 1 ) fn main ( ) {
var sum = 0u ;
for ( var i = 0u ;
i < 10 ;
i ++ ) {
if ( data [ i ] == 0 ) {
;
;
}
var fresh : u32 ;
fresh += data [ i ] ;
sum += fresh ;
}
while ( sum > 100 ) {
sum -= 7 ;
}
loop {
return ;
let step = data [ sum ] ;
if ( step == 9 ) {
continue ;
}
continuing {
var v : array < vec4 < f32 > , 3 > ;
sum += step ;
break if sum > 50 ;
}
}
loop {
var seen = data [ sum + 1 ] ;
for ( var i = 0u ;
i < 4u ;
i ++ ) {
if i == 2u {
continue ;
}
}
switch ( seen ) {
case 1 : {
continue ;
}
case 2 : {
break ;
}
default : {
seen ++ ;
}
}
sum += 1 ;
continuing {
sum += seen ;
break if sum > 200 ;
}
}
data [ 0 ] = sum + search ( 1 ) ;
}