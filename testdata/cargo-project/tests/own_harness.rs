//! A test program without Rust's test harness, which knows no `--list`.
fn main() {
    println!("all is well");
}
