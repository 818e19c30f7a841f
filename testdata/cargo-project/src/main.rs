//! Prints the total of the prices given.

fn main() {
    let mut basket = till::basket::Basket::default();
    for word in std::env::args().skip(1) {
        match word.parse() {
            Ok(cents) => basket.add(cents),
            Err(_) => refuse(&word),
        }
    }
    println!("{}", basket.total());
}

fn refuse(word: &str) -> ! {
    eprintln!("not a price: {word}");
    std::process::exit(2)
}
