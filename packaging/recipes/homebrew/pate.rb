class Pate < Formula
  desc "Privacy accountant for teacher ensembles"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "fast_float" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "xsimd" => :build
  depends_on "clp"
  depends_on "fmt"
  depends_on "libzip"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_UNITY_BUILD=ON", "-DPATE_TESTS=OFF",
           *std_cmake_args
    system "cmake", "--build", "build", "--target", "installed"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"pate", "simulate", "--queries", "50", "-o", "votes.npy"
    assert_match "epsilon = ", shell_output("#{bin}/pate analyze votes.npy --sigma2 40 --delta 1e-5 --summary")
  end
end
