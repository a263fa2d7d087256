//! Functions of published crates: none panics within the bounds, and those with an
//! inverse, a twin or a definition agree with it.
//!
//! Bounds are such that a verdict is of use: all numbers of a type, a whole UUID, MAC
//! address or date of HTTP, the number of a card, a digit more than `u32` has, a block of
//! base32, three escapes, a named character reference, a character of four bytes, more
//! than one register of bytes, a word and another.

use std::str::FromStr as _;

use testsmith::{assume, put};

mod decoders {
    use super::*;

    #[put(len = 6)]
    fn unsigned_varint_decodes_what_it_encodes(x: u32) {
        let mut buffer = unsigned_varint::encode::u32_buffer();
        let bytes = unsigned_varint::encode::u32(x, &mut buffer);
        let decoded = unsigned_varint::decode::u32(bytes);
        assert!(matches!(decoded, Ok((y, rest)) if y == x && rest.is_empty()));
    }

    #[put(len = 6)]
    fn unsigned_varint_decodes_any_bytes(bytes: &[u8]) {
        if let Ok((_, rest)) = unsigned_varint::decode::u32(bytes) {
            assert!(rest.len() < bytes.len());
        }
    }

    #[put(len = 8)]
    fn data_encoding_base32_decodes_any_bytes(bytes: &[u8]) {
        if let Ok(decoded) = data_encoding::BASE32.decode(bytes) {
            assert_eq!(data_encoding::BASE32.encode(&decoded).as_bytes(), bytes);
        }
    }

    #[put(len = 9)]
    fn urlencoding_decodes_any_bytes(bytes: &[u8]) {
        assert!(urlencoding::decode_binary(bytes).len() <= bytes.len());
    }

    #[put(len = 9)]
    fn percent_encoding_decodes_any_bytes(bytes: &[u8]) {
        let decoded: Vec<u8> = percent_encoding::percent_decode(bytes).collect();
        assert!(decoded.len() <= bytes.len());
    }

    #[put(len = 6)]
    fn html_escape_decodes_any_text(text: &str) {
        assert!(html_escape::decode_html_entities(text).len() <= 2 * text.len());
    }
}

mod parsers {
    use super::*;

    #[put(len = 36)]
    fn uuid_parses_any_text_of_36_bytes(text: &str) {
        assume!(text.len() == 36);
        let _ = uuid::Uuid::try_parse(text);
    }

    #[put(len = 17)]
    fn macaddr_parses_any_text_of_17_bytes(text: &str) {
        assume!(text.len() == 17);
        let _ = macaddr::MacAddr6::from_str(text);
    }

    #[put(len = 11)]
    fn atoi_agrees_with_std(bytes: &[u8]) {
        let (number, used) = <u32 as atoi::FromRadix10Checked>::from_radix_10_checked(bytes);
        assert!(used <= bytes.len());
        if used == 0 {
            assert_eq!(number, Some(0));
        }
    }

    #[put(len = 16)]
    fn luhn_looks_at_any_text(text: &str) {
        let _ = luhn::valid(text);
    }

    #[put(len = 6)]
    fn roman_parses_any_text(text: &str) {
        if let Some(number) = roman::from(text) {
            assert!(number > 0 && number < 4000);
        }
    }

    #[put(len = 29)]
    fn httpdate_parses_any_text_of_29_bytes(text: &str) {
        assume!(text.len() == 29);
        let _ = httpdate::parse_http_date(text);
    }
}

mod formatters {
    use super::*;

    #[put]
    fn itoa_writes_what_parses_back(x: u32) {
        let mut buffer = itoa::Buffer::new();
        assert_eq!(buffer.format(x).parse(), Ok(x));
    }

    #[put]
    fn std_writes_what_parses_back(x: u32) {
        assert_eq!(x.to_string().parse(), Ok(x));
    }

    #[put]
    fn roman_writes_what_parses_back(x: u16) {
        assume!(x < 4000);
        let x = i32::from(x);
        assert_eq!(roman::to(x).and_then(|text| roman::from(&text)), (x > 0).then_some(x));
    }

    #[put(len = 4)]
    fn heck_makes_snake_case_of_any_text(text: &str) {
        use heck::ToSnakeCase as _;
        let snake = text.to_snake_case();
        assert!(!snake.contains(' '));
    }

    #[put(len = 4)]
    fn urlencoding_decodes_what_it_encodes(text: &str) {
        assert_eq!(urlencoding::decode(&urlencoding::encode(text)).as_deref(), Ok(text));
    }
}

mod calendars {
    use super::*;

    #[put]
    fn computus_gives_a_sunday_in_march_or_april(year: u16) {
        if let Ok(date) = computus::gregorian(i32::from(year)) {
            assert!(date.month == 3 && date.day >= 22 || date.month == 4 && date.day <= 25);
        }
    }

    #[put]
    fn time_finds_back_the_day_of_a_year(year: u16, ordinal: u16) {
        assume!(year < 9999);
        if let Ok(date) = time::Date::from_ordinal_date(i32::from(year), ordinal) {
            let (month, day) = (date.month(), date.day());
            let back = time::Date::from_calendar_date(i32::from(year), month, day);
            assert_eq!(back, Ok(date));
        }
    }

    #[put]
    fn time_finds_back_a_julian_day(year: i16, month: u8, day: u8) {
        assume!((-999..=9999).contains(&year));
        let Ok(month) = time::Month::try_from(month) else { return };
        if let Ok(date) = time::Date::from_calendar_date(i32::from(year), month, day) {
            assert_eq!(time::Date::from_julian_day(date.to_julian_day()), Ok(date));
        }
    }
}

mod text_measures {
    use super::*;

    #[put(len = 4)]
    fn strsim_levenshtein_is_symmetric(a: &str, b: &str) {
        assert_eq!(strsim::levenshtein(a, b), strsim::levenshtein(b, a));
    }

    #[put(len = 4)]
    fn unicode_width_is_at_most_the_length(text: &str) {
        assert!(unicode_width::UnicodeWidthStr::width(text) <= 2 * text.len());
    }

    #[put(len = 4)]
    fn unicode_segmentation_loses_nothing(text: &str) {
        use unicode_segmentation::UnicodeSegmentation as _;
        assert_eq!(text.graphemes(true).map(str::len).sum::<usize>(), text.len());
    }

    #[put(len = 20)]
    fn bytecount_counts_the_chars(text: &str) {
        let count = bytecount::num_chars(text.as_bytes());
        assert!(count <= text.len() && text.len() <= 4 * count);
    }

    #[put(len = 20)]
    fn memchr_finds_the_first(bytes: &[u8], needle: u8) {
        if let Some(at) = memchr::memchr(needle, bytes) {
            assert!(bytes[at] == needle && !bytes[..at].contains(&needle));
        }
    }
}

mod checksums {
    use super::*;

    #[put(len = 8)]
    fn adler_is_the_sum_of_its_definition(bytes: &[u8]) {
        let (mut a, mut b) = (1u32, 0u32);
        for byte in bytes {
            a = (a + u32::from(*byte)) % 65521;
            b = (b + a) % 65521;
        }
        assert_eq!(adler2::adler32_slice(bytes), b << 16 | a);
    }

    #[put(len = 8)]
    fn crc32fast_in_parts_is_crc32fast_at_once(bytes: &[u8]) {
        let (left, right) = bytes.split_at(bytes.len() / 2);
        let mut parts = crc32fast::Hasher::new();
        parts.update(left);
        parts.update(right);
        assert_eq!(parts.finalize(), crc32fast::hash(bytes));
    }

    #[put]
    fn gcd_divides_both(a: u8, b: u8) {
        let divisor = gcd::Gcd::gcd(a, b);
        assert!(divisor == 0 || a.is_multiple_of(divisor) && b.is_multiple_of(divisor));
    }
}
