# packaging/release writes URL and checksum of the source archive into a copy of this file.
class Superroot < Formula
  desc "Proves blocks, transactions and events of many chains by hashing alone"
  homepage "@URL@"
  url "@URL@/@SOURCE@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/node")
    generate_completions_from_executable(bin/"superroot", "completions")
    system bin/"superroot", "man", "-o", buildpath/"man"
    man1.install Dir["man/*.1"]
    pkgshare.install "config/default.toml", "config/monitoring", "vectors/real/ethereum-13998626-event.srproof"
    (etc/"superroot").install "packaging/superroot.toml"
  end

  service do
    run [opt_bin/"superroot", "serve", "--config", etc/"superroot/superroot.toml", "--data", var/"superroot"]
    keep_alive crashed: true
    log_path var/"log/superroot.log"
    error_log_path var/"log/superroot.log"
  end

  test do
    proof = pkgshare/"ethereum-13998626-event.srproof"
    trusted = "0xf76e945474dbc6af77ef9f88eee78b75ba9a2836c6127dccd5a2a00a9ad045ee"
    system bin/"superroot", "verify", proof, "--superroot", trusted
    other = "0x#{"0" * 64}"
    refused = shell_output("#{bin}/superroot verify #{proof} --superroot #{other} 2>&1", 1)
    assert_match "anchor", refused
  end
end
