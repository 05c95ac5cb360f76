struct Inputs {
@ builtin ( workgroup_id ) group : vec3 < u32 > , @ builtin ( num_workgroups ) groups : vec3 < u32 > , }
@ group ( 65535 ) @ binding ( 0 ) var < storage , read_write > out : array < vec3 < u32 > > ;
@ group ( 0 ) @ binding ( 0 ) var < storage , read_write > b : array < u32 > ;
@ compute @ workgroup_size ( 4 , 2 , 1 ) fn main ( in : Inputs , @ builtin ( local_invocation_id ) local : vec3 < u32 > , @ builtin ( global_invocation_id ) id : vec3 < u32 > , @ builtin ( local_invocation_index ) index : u32 ) {
out [ index ] = in . group + in . groups + local + id ;
}
