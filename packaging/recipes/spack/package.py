from spack.package import *


class Pate(CMakePackage):
    """The privacy accountant for teacher ensembles (PATE)."""

    url = "@URL@"
    license("Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    variant("clp", default=True, description="The optimal noise function of pate darrm")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("boost@1.74:", type="build")
    depends_on("xsimd@8.1:", type="build")
    depends_on("fast-float", type="build")
    depends_on("fmt")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("libzip")
    depends_on("coinor-clp", when="+clp")

    generator("ninja")
    build_targets = ["installed"]

    def cmake_args(self):
        return [
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("PATE_TESTS", False),
        ]
