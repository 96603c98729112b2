//! Tests of redaction: secrets in all encodings, drawn at random.

use super::*;
use crate::test_random;

fn secrets(all: &[&str]) -> Secrets {
    Secrets::new(all.iter().copied().map(SecretString::from).collect(), None)
}

fn redacted(text: &str, all: &[&str]) -> String {
    secrets(all).redact(text)
}

#[test]
fn a_secret_that_contains_another_is_redacted_entirely() {
    for secrets in [["prod", "prod-db-pw"], ["prod-db-pw", "prod"]] {
        assert_eq!(redacted("prod-db-pw, prod", &secrets), "[redacted], [redacted]");
    }
}

#[test]
fn a_secret_is_redacted_in_every_form_in_which_it_may_come_back() {
    let secret = "a\"b\\ä+= ~/<🦀";
    for form in [
        secret,
        "A\"B\\ä+= ~/<🦀",
        r#"a\"b\\ä+= ~/<🦀"#,
        r#"a\\\"b\\\\ä+= ~/<🦀"#,
        r#"a\"b\\\u00e4+= ~\/<🦀"#,
        r#"a\"b\\\u00E4+\u003d ~/\u003C\ud83e\udd80"#,
        r#"a\"b\\\u{e4}+= ~/<\u{1f980}"#,
        r#"a\"b\\\xe4+= ~/<\U0001f980"#,
        r#"a\\\"b\\\\\\u00e4+= ~/<🦀"#,
        "a%22b%5C%C3%A4%2B%3D+%7E%2F%3C%F0%9F%A6%80",
        "a%22b%5c%c3%a4%2b%3d%20~%2f%3c%f0%9f%a6%80",
        "a%2522b%255C%25C3%25A4%252B%253D%2520~%252F%253C%25F0%259F%25A6%2580",
        "a%22b%5C%E4%2B%3D%20~%2F%3C%F0%9F%A6%80",
        "a&quot;b\\&auml;&#43;= ~&sol;&lt;&#129408;",
        "a&amp;quot;b&#92;&#xE4;&plus;&#x0003D; ~/&amp;lt;&#x1f980;",
        "a\\u0026quot;b\\\\ä+= ~/\\u0026lt;🦀",
        "a%26quot%3Bb%5Cä%2B= ~/%26lt;🦀",
        "a\"b\\Ã¤+= ~/<🦀",
        "a\"b\\\u{fffd}+= ~/<\u{fffd}",
    ] {
        assert_eq!(redacted(&format!("<{form}>"), &[secret]), "<[redacted]>", "{form}");
        assert_eq!(redacted(form, &[secret]), "[redacted]", "{form}");
    }
    assert_eq!(
        redacted("unchanged %41 \\u0041 &lt; \\", &["", "key"]),
        "unchanged %41 \\u0041 &lt; \\"
    );
}

/// Each byte of a text, written so.
fn bytes(text: impl AsRef<[u8]>, separator: &str, write: impl Fn(u8) -> String) -> String {
    text.as_ref().iter().map(|byte| write(*byte)).collect::<Vec<_>>().join(separator)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let digit = |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
        text.extend((0..4).map(|at| if at <= group.len() { digit(at) } else { '=' }));
    }
    text
}

/// All encodings that services, gateways, proxies and frameworks are known to write text in.
#[test]
fn a_secret_is_redacted_in_every_encoding() {
    for secret in ["Kq7Zx1Canary+/=&Vw93LpKey", "hunter-22", "püößwört12", "S3cr/et\"v\\=<ñ&%+éuE"]
    {
        let utf16 =
            |to: fn(u16) -> [u8; 2]| secret.encode_utf16().flat_map(to).collect::<Vec<u8>>();
        let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
        let decimal = |byte: u8| byte.to_string();
        let hex = |byte: u8| format!("{byte:02x}");
        let quoted = |byte: u8| match byte {
            b'=' | b'\\' | b'"' | b'&' | b'%' | 0x7f.. => format!("={byte:02X}"),
            byte => char::from(byte).to_string(),
        };
        let octal = |byte: u8| match byte {
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte => format!("\\{byte:03o}"),
        };
        let indexed: Vec<_> =
            secret.bytes().enumerate().map(|(at, byte)| format!("\"{at}\": {byte}")).collect();
        let wrapped: Vec<_> = bytes(secret, "\0", quoted).split('\0').map(str::to_owned).collect();
        for (name, text) in [
            ("quoted-printable", bytes(secret, "", quoted)),
            ("quoted-printable, all", bytes(secret, "", |byte| format!("={byte:02X}"))),
            (
                "quoted-printable, wrapped",
                wrapped.chunks(6).map(|it| it.concat()).collect::<Vec<_>>().join("=\r\n"),
            ),
            (
                "in JSON",
                wrapped.chunks(6).map(|it| it.concat()).collect::<Vec<_>>().join("=\\r\\n"),
            ),
            (
                "quoted-printable, with blanks behind the lines",
                wrapped.chunks(6).map(|it| it.concat()).collect::<Vec<_>>().join("= \t\r\n"),
            ),
            (
                "quoted-printable of an old system",
                wrapped.chunks(6).map(|it| it.concat()).collect::<Vec<_>>().join("=\r"),
            ),
            ("octal", bytes(secret, "", octal)),
            ("octal, all", bytes(secret, "", |byte| format!("\\{byte:03o}"))),
            ("octal in JSON", bytes(secret, "", |byte| format!("\\\\{byte:03o}"))),
            ("LDAP", bytes(secret, "", |byte| format!("\\{byte:02x}"))),
            ("a list", format!("[{}]", bytes(secret, ", ", decimal))),
            ("a short list", format!("[{}]", bytes(secret, ",", decimal))),
            ("a list of Go", format!("[{}]", bytes(secret, " ", decimal))),
            ("a list of lines", format!("[\n{}\n]", bytes(secret, ",\n        ", decimal))),
            ("such a list in JSON", format!("[\\n{}]", bytes(secret, ",\\n    ", decimal))),
            ("an object", format!("{{{}}}", indexed.join(", "))),
            ("an object in JSON", format!("{{{}}}", indexed.join(",")).replace('"', "\\\"")),
            (
                "code points",
                secret.chars().map(|it| u32::from(it).to_string()).collect::<Vec<_>>().join(", "),
            ),
            ("pairs", bytes(secret, ":", hex)),
            ("a dump", bytes(secret, " ", |byte| format!("{byte:02X}"))),
            (
                "an array of C",
                format!("{{ {} }}", bytes(secret, ", ", |byte| format!("0x{byte:02X}"))),
            ),
            ("numbers of Rust", bytes(secret, ", ", |byte| format!("{byte}u8"))),
            ("hex of Rust", bytes(secret, ", ", |byte| format!("0x{byte:02x}_u8"))),
            ("capital hex", bytes(secret, ", ", |byte| format!("0X{byte:02X}"))),
            ("octal numbers of C", bytes(secret, ", ", |byte| format!("0{byte:03o}"))),
            ("a list in a URL", bytes(secret, "%2C%20", decimal)),
            ("a list in JSON", bytes(secret, "\\u002c", decimal)),
            ("a list in HTML", bytes(secret, "&#44;&nbsp;", decimal)),
            ("an indented list", bytes(secret, &format!(",\n{}", " ".repeat(100)), decimal)),
            (
                "HTML without semicolons",
                secret.chars().map(|it| format!("&#x{:x} ", u32::from(it))).collect(),
            ),
            ("octal numbers", bytes(secret, " ", |byte| format!("{byte:03o}"))),
            ("octal numbers of Python", bytes(secret, ", ", |byte| format!("0o{byte:o}"))),
            ("binary", bytes(secret, " ", |byte| format!("{byte:08b}"))),
            ("a list of UTF-16", bytes(&little, ", ", decimal)),
            ("hex of UTF-16", bytes(&little, "", hex)),
            ("hex of big UTF-16", bytes(&big, "", hex)),
            ("Base64", base64(secret.as_bytes())),
            ("Base64 of UTF-16", base64(&little)),
            ("Base64 of big UTF-16", base64(&big)),
            (
                "wrapped Base64",
                bytes(base64(secret.as_bytes()), "", |it| char::from(it).to_string())
                    .chars()
                    .enumerate()
                    .flat_map(|(at, it)| (at % 8 == 7).then_some('\n').into_iter().chain([it]))
                    .collect(),
            ),
        ] {
            let shown = redacted(&format!("you sent {text}."), &[secret]);
            assert!(shown.contains("[redacted]"), "{name}: {text}");
            // Of the digits at its ends a few depend on what stands beside it.
            let rest = shown.replace("[redacted]", "").len() - "you sent .".len();
            assert!(rest <= 16, "{name}: {text} is shown as {shown}");
        }
    }
    // Lists of characters.
    for secret in ["Kq7Zx1Canary+/=&Vw93LpKey", "hunter-22"] {
        let quoted = |quote: &'static str| move |byte: u8| format!("{quote}{}", char::from(byte));
        for text in [
            format!("[\"{}\"]", bytes(secret, "\",", quoted("\""))),
            format!("('{}')", bytes(secret, "', ", quoted("'"))),
            format!("[{}]", bytes(secret, ", ", quoted(""))),
            format!("[{}']", bytes(secret, "', ", quoted("b'"))),
        ] {
            let text = text.replace("\"\"", "\"").replace("(''", "('").replace("''", "'");
            let shown = redacted(&format!("you sent {text}."), &[secret]);
            let rest = shown.replace("[redacted]", "").len() - "you sent .".len();
            assert!(shown.contains("[redacted]") && rest <= 8, "{text} is shown as {shown}");
        }
    }
    // Numbers are shown.
    for text in ["[75, 113, 55]", "took 52 ms, 104 117 of 110", "10:20:30, 0x4b and 2026-11-25"] {
        assert_eq!(redacted(text, &["Kq7Zx1Canary", "4", "hunter-22"]), text);
    }
}

/// The codes of bytes as an escape of all of them, or as digits or a list.
const OF_BYTES: [fn(&[u8]) -> String; 12] = [
    |text| bytes(text, "", |byte| format!("%{byte:02X}")),
    |text| bytes(text, "", |byte| format!("&#x{byte:x};")),
    |text| bytes(text, "", |byte| format!("&#{byte};")),
    |text| bytes(text, "", |byte| format!("={byte:02X}")),
    |text| bytes(text, "", |byte| format!("\\u{byte:04x}")),
    |text| bytes(text, "", |byte| format!("\\x{byte:02x}")),
    |text| bytes(text, "", |byte| format!("\\{byte:03o}")),
    |text| bytes(text, "", |byte| format!("\\{byte:02x}")),
    |text| bytes(text, "", |byte| format!("{byte:02x}")),
    |text| bytes(text, ", ", |byte| format!("0x{byte:x}")),
    |text| bytes(text, ",", |byte| byte.to_string()),
    base64,
];

#[test]
fn entities_are_redacted_by_name_and_number() {
    for (entity, character) in [
        ("&quot;", '"'),
        ("&#34;", '"'),
        ("&#x22;", '"'),
        ("&#X00022;", '"'),
        ("&#x22", '"'),
        ("&lsqb;", '['),
        ("&rsquo;", '’'),
        ("&iexcl;", '¡'),
        ("&eacute;", 'é'),
        ("&yuml;", 'ÿ'),
        ("&#x1F980;", '🦀'),
    ] {
        let (written, secret) = (format!("<{entity}hunter>"), format!("{character}hunter"));
        assert_eq!(redacted(&written, &[&secret]), "<[redacted]>", "{entity}");
    }
    for text in ["&#xd800;", "&#;", "&nope;", "&;", "&"] {
        assert_eq!(redacted(text, &["hunter-22"]), text);
    }
}

#[test]
fn a_secret_is_redacted_however_often_it_is_encoded() {
    let secret = "Kq7Zx1Canary+/=&Vw93LpKey";
    for encode in OF_BYTES {
        for outer in OF_BYTES {
            let twice = outer(encode(format!("you sent {secret}.").as_bytes()).as_bytes());
            let shown = redacted(&format!("error: {twice}!"), &[secret]);
            assert!(shown.starts_with("error: ") && shown.ends_with('!'), "{twice}: {shown}");
            assert!(
                shown.contains("[redacted]") && shown.len() < twice.len() / 2,
                "{twice}: {shown}"
            );
        }
        let mut text = secret.to_owned();
        for level in 1..=4 {
            text = encode(text.as_bytes());
            let shown = redacted(&format!("<{text}>"), &[secret]);
            let rest = shown.replacen("[redacted]", "", 1);
            assert!(
                rest.len() <= 8 && rest.len() < shown.len(),
                "{level}: {text} is shown as {shown}"
            );
        }
    }
}

/// A short secret in the middle of escapes upon escapes: its characters are hundreds of bytes
/// apart.
#[test]
fn a_secret_whose_characters_are_far_apart_is_redacted() {
    let all = |text: &str, write: fn(u8) -> String| bytes(text, "", write);
    let wide = |byte: u8| format!("\\U{byte:08x}");
    let decimal = |byte: u8| format!("&#{byte};");
    let json = |byte: u8| format!("\\u{byte:04x}");
    for secret in ["hunter-22", "rpa_9F3kd83KDLs93kfLLsdf93kdLSk39dkfLs93kd0123456789"] {
        // The first row escapes one character only.
        let once = secret.replacen(['-', '_'], "%2d", 1).replacen("a%2d", "a%5f", 1);
        for text in [
            all(&all(&once, decimal), wide),
            all(&all(&once, json), json),
            all(&all(&all(&once, json), decimal), |byte| format!("={byte:02X}")),
            all(&bytes(&all(&once, decimal), ", ", |byte| byte.to_string()), decimal),
        ] {
            let shown = redacted(&format!("<{text}>"), &[secret]);
            assert!(shown.starts_with("<[redacted]") && shown.len() < 20, "{text}: {shown}");
        }
    }
}

#[test]
fn a_secret_with_quotes_is_redacted_in_lists_and_where_quotes_are_doubled() {
    let secret = "p'a\"s\\s, 1";
    let list: Vec<_> = secret.chars().map(String::from).collect();
    for text in [
        serde_json::to_string(&list).expect("a list of texts is JSON"),
        serde_json::to_string_pretty(&list).expect("a list of texts is JSON"),
        format!("{:?}", secret.chars().collect::<Vec<_>>()),
        secret.replace('\'', "''"),
        secret.replace('"', "\"\""),
        secret.replace('\'', "'\\''"),
        secret.replace('\'', "'\"'\"'"),
        "p'a\" \\\n  \"\"s\\s, 1".to_owned(),
    ] {
        let shown = redacted(&format!("<{text}>"), &[secret]);
        let rest = shown.replace("[redacted]", "");
        assert!(shown.contains("[redacted]") && rest.len() <= 12, "{text} is shown as {shown}");
    }
}

#[test]
fn a_secret_is_redacted_in_objects_lists_and_dumps_of_languages() {
    for secret in ["hunter-22", "пароль-1", "%41bc-2Bdef"] {
        let items = |write: &dyn Fn(usize, u8) -> String| {
            secret.bytes().enumerate().map(|(at, byte)| write(at, byte)).collect::<String>()
        };
        let signed: Vec<_> = secret.bytes().map(|byte| byte.cast_signed()).collect();
        let keyed = |write: &dyn Fn(usize, char) -> String| {
            secret.chars().enumerate().map(|(at, it)| write(at, it)).collect::<String>()
        };
        let hex: Vec<_> = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        let twice: String = secret.bytes().map(char::from).collect();
        let twice: String = twice.bytes().map(char::from).collect();
        for text in [
            format!("{signed:?}"),
            items(&|at, byte| format!("  {at} => {byte},\n")),
            items(&|at, byte| format!("    [{at}] => {byte}\n")),
            keyed(&|at, it| format!("\"{at}\":\"{it}\",")),
            keyed(&|at, it| format!("\\\"{at}\\\":\\\"{it}\\\",")).replacen('\\', "\"{\\", 1),
            keyed(&|_, it| format!("\\\"{it}\\\", ")).replacen('\\', "\"[\\", 1),
            keyed(&|at, it| format!("  {at} => '{it}',\n")),
            hex.chunks(2).map(<[_]>::concat).collect::<Vec<_>>().join(" "),
            twice,
        ] {
            let shown = redacted(&format!("<{text}>"), &[secret]);
            let rest = shown.replace("[redacted]", "");
            assert!(shown.contains("[redacted]") && rest.len() <= 20, "{text} is shown as {shown}");
        }
    }
}

#[test]
fn an_image_is_unchanged() {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let image: Vec<u8> = (0..60_000).map(|_| byte()).collect();
    let text = format!("{{\"image\":\"data:image/png;base64,{}\"}}", base64(&image));
    assert_eq!(redacted(&text, &["Kq7Zx1Canary+/=&Vw93LpKey", "hunter-22"]), text);
}

#[test]
fn a_text_that_takes_too_long_to_decode_is_withheld() {
    let secret = "hunter-22";
    let nested = bytes(secret, "", |byte| format!("%{}{byte:02X}", "25".repeat(1_000)));
    assert_eq!(redacted(&nested, &[secret]), "[redacted]");
    let long = "a message. ".repeat(10_000);
    let shown = redacted(&format!("{long}{nested}{long}"), &[secret]);
    assert!(shown.starts_with("a message. ") && shown.ends_with("a message. "), "{shown}");
    assert!(shown.contains("[redacted]") && !shown.contains("%25"), "{shown}");
    assert!(shown.len() > long.len(), "no more is withheld than the text around it");
    // Much to decode, and decoded to the end.
    let escapes = r"\\%25&amp;=3D\u005c".repeat(1_000);
    assert_eq!(redacted(&escapes, &[secret]), escapes);
}

#[test]
fn a_message_without_a_secret_is_unchanged() {
    let in_json = |text: &str| serde_json::to_string(text).expect("a text is JSON");
    let traceback = "Traceback (most recent call last):\n  File \"C:\\users\\new\\be.py\", line 12, in <module>\n\
        re.match(\"^[\\w\\d]+\\.\\x41$\", \"a=b&c=%20\")\nValueError: \u{1b}[31mNaN\u{1b}[0m";
    let page = "<!doctype html><html lang=en><title>502 Bad Gateway</title><a href=\"https://x.example/?a=12&amp;b=%7B%22k\
        %22%3A1%7D&amp;next=https%3A%2F%2Fy.example%2F%3Fq%3D1%2526r\">it&#39;s&nbsp;&copy; 2026</a><img src=\"data:image/png;\
        base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\">";
    let list = "expected shape [1, 3, 224, 224], got (75, 113, 55); id 0191e5a2-7c3b-7d4e-8f5a-6b7c8d9e0f10, sha256 \
        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, MAC 4b:71:37:5a:78:31";
    let nested = in_json(&in_json(&format!("{{\"error\":{}}}", in_json(traceback))));
    let secrets = ["Kq7Zx1Canary+/=&Vw93LpKey", "hunter-22", "key", "https://hooks.mine/7-of-9"];
    for text in [traceback, page, list, &nested, &format!("{traceback}\n{page}\n{list}\n{nested}")]
    {
        assert_eq!(redacted(text, &secrets), text);
        let long = format!("{text}\n").repeat(30);
        assert_eq!(redacted(&long, &secrets), long);
    }
}

#[test]
fn a_short_secret_is_redacted_as_a_separate_word() {
    assert_eq!(
        redacted("a=a, \"a\": a template", &["a"]),
        "[redacted]=[redacted], \"[redacted]\": [redacted] template"
    );
    assert_eq!(redacted("answered 400, 0 left", &["0", "40"]), "answered 400, [redacted] left");
    assert_eq!(redacted("word passwords", &["word"]), "[redacted] pass[redacted]s");
}

#[test]
fn a_url_that_is_a_secret_leaves_unrelated_urls_unchanged() {
    let secrets =
        ["https://h.example/token-1", "postgres://me:pa-ss@db.example/jobs", "https://h.co"];
    for text in
        ["see https://huggingface.co/docs", "https://h and http://h", "postgres://my-database"]
    {
        assert_eq!(redacted(text, &secrets), text);
    }
    for (text, shown) in [
        ("posted to https://h.example/token-1.", "posted to https://[redacted]."),
        ("posted to h.example/toke…", "posted to [redacted]…"),
        ("HTTPS:\\/\\/h.example\\/token-1", "HTTPS:\\/\\/[redacted]"),
        ("of https://h.co, and http://h.co", "of [redacted], and http://h.co"),
    ] {
        assert_eq!(redacted(text, &secrets), shown, "{text}");
    }
}

#[test]
fn a_part_of_a_long_secret_is_redacted() {
    let secret = "sk-0123456789abcdefghij";
    assert_eq!(
        redacted("you sent 'sk-0123456…cdefghij'", &[secret]),
        "you sent '[redacted]…cdefghij'"
    );
    assert_eq!(redacted("you sent \"56789abcdefghij", &[secret]), "you sent \"[redacted]");
    assert_eq!(redacted("a 0123456 z", &[secret]), "a 0123456 z");
    assert_eq!(redacted("see https://x", &["https://me.example/hooks/7"]), "see https://x");
}

#[test]
fn a_secret_within_base64_is_redacted_with_the_text_around_it() {
    // {"env":{"A":"canary-value-7"}}, with nothing, one and two bytes before it.
    for text in [
        "eyJlbnYiOnsiQSI6ImNhbmFyeS12YWx1ZS03In19",
        "IHsiZW52Ijp7IkEiOiJjYW5hcnktdmFsdWUtNyJ9fQ==",
        "ICB7ImVudiI6eyJBIjoiY2FuYXJ5LXZhbHVlLTcifX0=",
    ] {
        assert_eq!(redacted(&format!("sent: {text}."), &["canary-value-7"]), "sent: [redacted].");
    }
}

#[test]
fn a_secret_that_is_wrapped_or_broken_is_redacted() {
    let secret = "hunter-22-and-more";
    for (name, text) in [
        ("wrapped", "hunter-2\n2-and\r\n   -more"),
        ("soft hyphens", "hun\u{ad}ter-22\u{200b}-and-mo\u{feff}re"),
        ("escaped breaks", r"hunter-2\n2-and\u200b-more"),
        ("behind the first character", "h\nunter-22-and-more"),
    ] {
        assert_eq!(redacted(&format!("<{text}>"), &[secret]), "<[redacted]>", "{name}");
    }
    // The reverse: white space that was removed or changed.
    let lines = "-----BEGIN\nsh0rt\nl1nes\nofkey\n-----END";
    for text in [lines.replace('\n', " "), lines.replace('\n', "\r\n"), lines.replace('\n', "")] {
        assert_eq!(redacted(&format!("<{text}>"), &[lines]), "<[redacted]>", "{text}");
    }
    // A short or trivial value can occur by chance.
    assert_eq!(redacted("4 0 left, to ken", &["40", "token"]), "4 0 left, to ken");
}

#[test]
fn a_secret_in_digits_is_redacted_wrapped_and_in_part() {
    let key: String = (0..400).map(|it| char::from(b'!' + (it * it % 90) as u8)).collect();
    let hex: String = key.bytes().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(redacted(&format!("<{hex}>"), &[&key]), "<[redacted]>");
    assert_eq!(redacted(&format!("<{}>", &hex[..60]), &[&key]), "<[redacted]>");
    let spaced: Vec<_> = "hunter-22".bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(redacted(&format!("<{}>", spaced.join(" ")), &["hunter-22"]), "<[redacted]>");

    // "the key: " and then a secret, in lines of 64 digits, and cut off.
    let whole =
        "dGhlIGtleTogcnBhXzlGM2tkODNLRExzOTNrZkxMc2RmOTNrZExTazM5ZGtmTHM5M2tkMDEyMzQ1Njc4OQ==";
    let secret = "rpa_9F3kd83KDLs93kfLLsdf93kdLSk39dkfLs93kd0123456789";
    let wrapped = format!("{}\n{}", &whole[..64], &whole[64..]);
    assert_eq!(redacted(&format!("<{wrapped}>"), &[secret]), "<[redacted]>");
    assert_eq!(redacted(&format!("<{}…>", &whole[..50]), &[secret]), "<[redacted]…>");
}

#[test]
fn secrets_of_any_shape_are_searched_in_bounded_time() {
    let size = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 20 };
    let began = processor_time();
    let alike = "a".repeat(10_000);
    assert_eq!(redacted(&"a".repeat(size), &[&alike]), "[redacted]");
    let mut state = 1_u32;
    let mut bits = |length: usize| -> String {
        let mut bit = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 31 == 0 { 'a' } else { 'b' }
        };
        (0..length).map(|_| bit()).collect()
    };
    let (secret, text) = (bits(10_000), bits(size));
    redacted(&text, &[&secret]);
    assert_eq!(redacted(&secret.repeat(size / 10_000), &[&secret]), "[redacted]");
    redacted(&"\u{fffd}".repeat(size / 3), &[&"шифр-и-ключ".repeat(900)]);
    // More than can be searched for in bounded time.
    assert_eq!(redacted("anything", &[&"x".repeat(1 << 20)]), "[redacted]");
    let took = processor_time() - began;
    assert!(took < std::time::Duration::from_secs(20), "{took:?}");
}

/// The time for which this thread was executed, which other work does not lengthen: on Linux, and
/// elsewhere the time that passed.
fn processor_time() -> std::time::Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let known = known.and_then(|text| text.split(' ').next()?.parse().ok());
    known.map_or_else(
        || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(),
        std::time::Duration::from_nanos,
    )
}

#[test]
fn json_is_redacted_in_its_texts() {
    let mut value = serde_json::json!({
        "query": "it was \"hunter22\"", "hunter22": [1, 12_345_678], "code": true, "at": null
    });
    secrets(&["hunter22", "12345678"]).redactor().redact_json(&mut value);
    let expected = serde_json::json!({
        "query": "it was \"[redacted]\"", "[redacted]": [1, "[redacted]"], "code": true, "at": null
    });
    assert_eq!(value, expected);
}

/// A random escape of a character.
#[derive(Clone, Copy, Debug)]
enum Encoder {
    Json,
    Percent,
    Html,
}

/// Escapes the mandatory characters, and those that `choices` selects.
fn encode(text: &str, encoder: Encoder, choices: &mut impl FnMut() -> u8) -> String {
    let mut written = String::new();
    for character in text.chars() {
        let choice = choices();
        match encoder {
            Encoder::Json => json(character, choice, &mut written),
            Encoder::Percent => percent(character, choice, &mut written),
            Encoder::Html => html(character, choice, &mut written),
        }
    }
    written
}

fn json(character: char, choice: u8, written: &mut String) {
    let simple = match character {
        '"' | '\\' | '/' => Some(character),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    };
    let must = matches!(character, '"' | '\\' | '\0'..='\u{1f}');
    match (choice % 4, simple) {
        (0 | 1, Some(simple)) => written.extend(['\\', simple]),
        (0 | 1, None) if !must => written.push(character),
        (2, _) if !must => written.push(character),
        _ => {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let digits =
                    if choice & 4 == 0 { format!("{unit:04x}") } else { format!("{unit:04X}") };
                written.push_str("\\u");
                written.push_str(&digits);
            }
        }
    }
}

fn percent(character: char, choice: u8, written: &mut String) {
    let must =
        !character.is_ascii() || matches!(character, '%' | '&' | '+' | ' '..='"' | '\0'..='\u{1f}');
    if character == ' ' && choice.is_multiple_of(2) {
        written.push('+');
    } else if must || choice.is_multiple_of(3) {
        for byte in character.to_string().bytes() {
            written.push_str(&if choice & 4 == 0 {
                format!("%{byte:02x}")
            } else {
                format!("%{byte:02X}")
            });
        }
    } else {
        written.push(character);
    }
}

fn html(character: char, choice: u8, written: &mut String) {
    let name = match character {
        '"' => Some("quot"),
        '&' => Some("amp"),
        '<' => Some("lt"),
        '>' => Some("gt"),
        '\'' => Some("apos"),
        'é' => Some("eacute"),
        _ => None,
    };
    let code = u32::from(character);
    match (choice % 5, name) {
        (0 | 1, Some(name)) => written.push_str(&format!("&{name};")),
        (2, _) => written.push_str(&format!("&#{code};")),
        (3, _) => written.push_str(&format!("&#x{code:x};")),
        (_, Some(_)) => written.push_str(&format!("&#X{code:04X};")),
        _ => written.push(character),
    }
}

#[test]
fn no_piece_of_a_secret_is_shown_however_it_is_escaped() {
    test_random::cases(3_000, |random| {
        let secret = test_random::of(random, SECRETS, 6..=40);
        let printable: String = (' '..='~').collect();
        let mut left = test_random::of(random, &printable, 0..=12);
        let mut right = test_random::of(random, &printable, 0..=12);
        let (mut text, mut spelled) = (secret.clone(), secret.clone());
        for _ in 0..random.usize(0..4) {
            let encoder = [Encoder::Json, Encoder::Percent, Encoder::Html][random.usize(0..3)];
            let choices: Vec<u8> = (0..64).map(|_| random.u8(..)).collect();
            let mut turn = choices.into_iter().cycle();
            let mut choice = || turn.next().unwrap_or_default();
            spelled = encode(&spelled, encoder, &mut choice);
            left = encode(&left, encoder, &mut choice);
            right = encode(&right, encoder, &mut choice);
            text = format!("{left}{spelled}{right}");
        }
        let shown = redacted(&text, &[&secret]);
        assert!(shown.contains("[redacted]"), "{text} is shown as {shown}");
        // The surrounding text is kept, and no part of the secret remains.
        assert!(!shown.contains(&spelled), "{shown}");
        let rest = shown.replacen("[redacted]", "", 1);
        assert!(rest.len() <= left.len() + right.len(), "{text} is shown as {shown}");
    });
}

#[test]
fn no_secret_in_random_text_is_shown() {
    test_random::cases(3_000, |random| {
        let text = test_random::text(random, 0..=40);
        let secret = test_random::text(random, 0..=12);
        let shown = redacted(&text, &[&secret]);
        let is_redacted = !shown.contains(&secret) || "[redacted]".contains(&secret);
        assert!(secret.chars().count() < 4 || is_redacted, "{text} is shown as {shown}");
    });
}

#[test]
fn redaction_of_nested_escapes_does_not_panic() {
    let alphabet = "\\\\\\%%&&++uu0123456789abcdefABCDEF##;;xX{}quotamp\u{80}\u{a0}\u{e9}\u{ff}";
    test_random::cases(3_000, |random| {
        let text = test_random::of(random, alphabet, 0..=200);
        let _ = redacted(&text, &["secret", "\\\\\\\\"]);
    });
}

const SECRETS: &str =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+=\"'\\<>&%#;é~ü🦀 \n_-";
