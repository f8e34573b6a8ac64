//! Certificates that other programs read, and certificates that other programs wrote.

use super::*;

#[test]
fn python_verifies_certificates_and_objects_of_ours() {
    let Some(python) = peer("python/bin/python") else { return };
    let Some(net) = Net::new("python_verifies") else { return };
    let place = Scratch::new("interop-keys");
    let site = Site::ours(&place, &net, "n", "");
    std::fs::write(place.path("film"), content(20_000)).expect("a file");
    let (_, text) = site.says(PROGRAM, &["ndn", "key", "/example", "-o", "example.key"]);
    assert!(text.contains("example.cert"), "{text}");
    place.write(
        "verify.py",
        "import base64, sys\nfrom ndn.appv2 import NDNApp\nfrom ndn.client_conf import default_face\nfrom ndn.encoding import parse_data, Name\n\
         from ndn.security.validator.known_key_validator import verify_ed25519\nfrom Cryptodome.PublicKey import ECC\n\
         from ndn.types import ValidResult\n\
         raw = base64.b64decode(open('example.cert').read())\n_, _, key, signature = parse_data(raw)\nkey = ECC.import_key(bytes(key))\n\
         print('certificate', verify_ed25519(key, signature))\n\
         async def check(name, signature, context):\n    print('data', verify_ed25519(key, signature))\n    return ValidResult.PASS\n\
         app = NDNApp(face=default_face(sys.argv[1]))\n\
         async def main():\n    await app.express('/example/film', check, can_be_prefix=True, must_be_fresh=True)\n    app.shutdown()\n\
         app.run_forever(after_start=main())\n",
    );
    let _serving = site.producer(
        PROGRAM,
        &["ndn", "serve", "/example/film", "film", "--key", "example.key"],
        "/example/film",
        None,
    );
    let (status, text) = site.says(&python, &["verify.py", &site.at]);
    assert!(
        status == 0 && text.contains("certificate True") && text.contains("data True"),
        "{text}"
    );
}

#[test]
fn ndnd_and_narrows_read_each_others_certificates() {
    let Some(ndnd) = peer("ndnd") else { return };
    let place = Scratch::new("interop-certificates");
    let shell = |script: &str| {
        let output = place
            .command("sh")
            .args(["-c", script])
            .env("NDND", &ndnd)
            .env("NARROWS", PROGRAM)
            .output()
            .expect("sh runs");
        (code(&output), stdout(&output) + &stderr(&output))
    };
    let (status, text) =
        shell("$NARROWS ndn key /example && base64 -d example.cert | $NDND sec pem-encode");
    assert!(
        status == 0 && text.contains("BEGIN NDN CERT") && text.contains("SigType: Ed25519"),
        "{text}"
    );
    // One certificate in PEM and one as octets. The only error left is that no forwarder runs here.
    let (status, text) = shell(
        "$NDND sec keygen /theirs ed25519 > theirs.key && $NDND sec sign-cert theirs.key < theirs.key > theirs.cert && \
         $NDND sec pem-decode < theirs.cert > theirs.octets && \
         $NARROWS ndn get /x --trust theirs.cert --trust theirs.octets --at unix:///nowhere/n.sock",
    );
    assert!(status == 2 && text.contains("no forwarder answers"), "{text}");
}
