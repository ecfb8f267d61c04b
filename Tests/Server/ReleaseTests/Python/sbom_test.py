"""The SBOM of a small program, with real repositories, libraries of Debian and symbols."""

import datetime
import json
import os
import shutil
import sys
import unittest

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from fixtures import TOOLS, FolderTest, commit, read, run

sys.path.insert(0, TOOLS)
import debian_libraries  # noqa: E402
import sbom  # noqa: E402
import swift_packages  # noqa: E402
import swift_runtime  # noqa: E402

APACHE = "Apache License\nVersion 2.0, January 2004\n"
BORINGSSL = "8eb25be6fa18d475291122887a7bccd3762ff236"
# Symbols as in a program with Swift's runtime, and a call of OpenSSL.
PROGRAM = """
void swift_retain(void) {}
void foundation(void) __asm__("$s20FoundationEssentials4DateV");
void foundation(void) {}
void swift_ucal_open(void) {}
const char *OpenSSL_version(int);
int main(void) { return OpenSSL_version(0)[0] == 0; }
"""
DIGEST = "ab" * 32


def compiler():
    return shutil.which("clang") or shutil.which("cc")


def compile_c(path, source, *options):
    run(compiler(), source, "-o", path, *options, status=0)


class PackagesTest(FolderTest):
    """Packages as SwiftPM leaves them: repositories, and what was compiled of which file."""

    def setUp(self):
        super().setUp()
        # Like the name of a real package's folder, which is not that of its module.
        self.write("checkouts/swift-context/Sources/Shared/Context.swift", "")
        self.write("checkouts/swift-context/LICENSE.txt", APACHE + "Runtime Library Exception")
        self.write("checkouts/swift-nio-ssl/Sources/Shared/Other.swift", "")
        self.write("checkouts/swift-nio-ssl/Sources/CNIOBoringSSL/hash.txt", f"BoringSSL cloned at revision {BORINGSSL}\n")
        self.write("checkouts/swift-nio-ssl/LICENSE.txt", APACHE)
        self.write("checkouts/swift-unused/LICENSE.txt", APACHE)
        self.revisions = {name: commit(self.checkout(name)) for name in ("swift-context", "swift-nio-ssl", "swift-unused")}
        self.pin()
        sources = self.path("checkouts")
        self.write("products/Context.build/sources", f"{sources}/swift-context/Sources/Shared/Context.swift\n")
        self.write(
            "products/CNIOBoringSSL.build/crypto/a.cc.d",
            f"dependencies: \\\n  {sources}/swift-nio-ssl/Sources/a.cc \\\n  /usr/include/a.h\n")
        self.write("products/Own.build/sources", "/own/Sources/Own.swift\n")
        objects = [self.path("products", f"{name}.build", "a.o") for name in ("Context", "CNIOBoringSSL", "Own")]
        self.write("products/program.product/Objects.LinkFileList", "\n".join(objects))
        unused = {"identity": "swift-unused", "dependencies": []}
        context = {"identity": "swift-context", "dependencies": []}
        tls = {"identity": "swift-nio-ssl", "dependencies": [context]}
        self.dependencies = {"identity": "own", "dependencies": [tls, unused]}

    def checkout(self, name):
        return self.path("checkouts", name)

    def pin(self):
        pins = [
            {"identity": name, "location": f"https://github.com/apple/{name}.git", "state": {"revision": revision, "version": "2.1.0"}}
            for name, revision in self.revisions.items()]
        self.write("Package.resolved", json.dumps({"pins": pins, "version": 3}))

    def packages(self):
        modules = swift_packages.modules_by_checkout(self.path("products"), "program")
        found = swift_packages.read(self.path("Package.resolved"), self.path("checkouts"), self.dependencies, modules)
        return {package.name: package for package in found}

    def assert_refused(self, words):
        with self.assertRaisesRegex(ValueError, words):
            self.packages()

    def test_the_modules_of_the_program(self):
        modules = {name: package.modules for name, package in self.packages().items()}
        self.assertEqual(modules, {"swift-context": ["Context"], "swift-nio-ssl": ["CNIOBoringSSL"], "swift-unused": []})

    def test_the_digest_is_that_of_the_documented_command(self):
        for name, package in self.packages().items():
            command = swift_packages.DIGEST.replace("REVISION", self.revisions[name])
            self.assertEqual(run("sh", "-c", command, folder=self.checkout(name), status=0).stdout.split()[0], package.digest)

    def test_licences(self):
        packages = self.packages()
        self.assertEqual(packages["swift-nio-ssl"].licence, "Apache-2.0")
        self.assertEqual(packages["swift-context"].licence, "Apache-2.0 WITH Swift-exception")

    def test_foreign_code(self):
        found = [(part.name, part.version) for package in self.packages().values() for part in package.vendored]
        self.assertEqual(found, [("BoringSSL", BORINGSSL)])

    def test_the_version_of_llhttp(self):
        header = "#define LLHTTP_VERSION_MAJOR 9\n#define LLHTTP_VERSION_MINOR 3\n#define LLHTTP_VERSION_PATCH 0\n"
        self.write("nio/Sources/CNIOLLHTTP/include/c_nio_llhttp.h", header)
        found, = swift_packages.vendored(self.path("nio"), "CNIOLLHTTP")
        self.assertEqual((found.version, found.url), ("9.3.0", "pkg:github/nodejs/llhttp@v9.3.0"))

    def test_changed_sources_are_refused(self):
        self.write("checkouts/swift-nio-ssl/Sources/Shared/New.swift", "")
        self.assert_refused(r"(?s)swift-nio-ssl were changed.*New\.swift")

    def test_sources_of_another_revision_are_refused(self):
        revision = self.revisions["swift-nio-ssl"]
        self.revisions["swift-nio-ssl"] = "0" * 40
        self.pin()
        self.assert_refused(f"swift-nio-ssl is at {revision}")

    def test_a_new_licence_is_refused(self):
        self.write("checkouts/swift-unused/LICENSE.txt", "All rights reserved.")
        self.revisions["swift-unused"] = commit(self.checkout("swift-unused"))
        self.pin()
        self.assert_refused("The licence of .*swift-unused")

    def test_foreign_code_without_a_version_is_refused(self):
        self.write("checkouts/swift-nio-ssl/Sources/CNIOBoringSSL/hash.txt", "unknown\n")
        self.revisions["swift-nio-ssl"] = commit(self.checkout("swift-nio-ssl"))
        self.pin()
        self.assert_refused("does not say the version of BoringSSL")

    def test_a_module_without_sources_is_refused(self):
        os.remove(self.path("products", "Context.build", "sources"))
        self.assert_refused("Context.build does not say")


class ProgramTest(FolderTest):
    """A program in C with the symbols of Swift's runtime."""

    def setUp(self):
        super().setUp()
        self.source = self.write("program.c", PROGRAM)
        self.program = self.path("program")
        compile_c(self.program, self.source, "-lcrypto")

    def test_the_parts_of_the_runtime(self):
        swift = swift_runtime.compiler()
        parts = swift_runtime.parts(self.program, swift)
        self.assertEqual([part.name for part in parts], ["swift", "swift-foundation", "swift-foundation-icu"])
        self.assertEqual({part.version for part in parts}, {swift.version})
        self.assertRegex(parts[-1].icu, r"^\d+\.\d+")

    def test_a_program_without_its_symbols_is_refused(self):
        run("strip", self.program, status=0)
        with self.assertRaisesRegex(ValueError, "--static-swift-stdlib"):
            swift_runtime.parts(self.program, swift_runtime.compiler())

    @unittest.skipUnless(shutil.which("dpkg-query"), "no Debian")
    def test_the_libraries_of_debian(self):
        libraries = {library.source: library for library in debian_libraries.read(self.program)}
        openssl = libraries["openssl"]
        shown = run("dpkg-query", "--show", "--showformat=${Version}", openssl.name, status=0).stdout
        self.assertEqual((openssl.version, openssl.is_direct), (shown, True))
        self.assertIn(libraries["glibc"].name, openssl.needs)

    @unittest.skipUnless(shutil.which("dpkg-query"), "no Debian")
    def test_libraries_that_are_missing_or_of_no_package_are_refused(self):
        library = self.path("libown.so")
        compile_c(library, self.write("own.c", "int own(void) { return 0; }\n"), "-shared", "-fPIC", "-Wl,-soname,libown.so")
        main = self.write("main.c", "int own(void);\nint main(void) { return own(); }\n")
        compile_c(self.program, main, library, f"-Wl,-rpath,{self.folder}")
        with self.assertRaisesRegex(ValueError, "libown.so is of no package"):
            debian_libraries.read(self.program)
        os.remove(library)
        with self.assertRaisesRegex(ValueError, "libown.so"):
            debian_libraries.read(self.program)


class DocumentTest(FolderTest):
    """The text of an SBOM."""

    def setUp(self):
        super().setUp()
        boringssl = swift_packages.Vendored("BoringSSL", BORINGSSL, f"pkg:github/google/boringssl@{BORINGSSL}", None, "CNIOBoringSSL")
        location = "https://github.com/apple/swift-nio-ssl.git"
        self.release = sbom.Release(
            number="1.2.3", commit="1" * 40, time=datetime.datetime(2026, 12, 31, 12, tzinfo=datetime.timezone.utc),
            files=[self.write(name, name) for name in (
                "card-companion_1.2.3_amd64.deb", "card-companion-sdk-1.2.3.aar", "card-companion-js-1.2.3.tgz",
                "card-companion-backend-1.2.3.jar", "card_companion_backend-1.2.3-py3-none-any.whl")],
            program_digest=DIGEST,
            packages=[
                swift_packages.Package(
                    "swift-nio-ssl", location, "2.37.6", "2" * 40, DIGEST, "Apache-2.0", ["swift-nio"], ["CNIOBoringSSL", "NIOSSL"],
                    [boringssl]),
                swift_packages.Package(
                    "swift-nio", location.replace("-ssl", ""), "2.101.2", "3" * 40, DIGEST, "Apache-2.0", [], ["NIOCore"], []),
                swift_packages.Package(
                    "swift-crypto", location.replace("nio-ssl", "crypto"), "4.5.2", "4" * 40, DIGEST, "Apache-2.0", [], [], []),
            ],
            direct=["swift-crypto", "swift-nio-ssl"],
            runtime=[swift_runtime.Part("swift-foundation-icu", "swift-6.3.1-RELEASE", "76.1")],
            libraries=[
                debian_libraries.Library("libc6", "2.36-9+deb12u14", "amd64", "glibc", [], False),
                debian_libraries.Library("zlib1g", "1:1.2.13.dfsg-1", "amd64", "zlib", ["libc6"], True),
            ])
        self.text = sbom.document(self.release)
        self.document = json.loads(self.text)
        self.components = {component["purl"]: component for component in self.document["components"]}
        self.edges = {edge["ref"]: edge.get("dependsOn", []) for edge in self.document["dependencies"]}

    def test_it_fits_the_schema_and_another_text_is_refused(self):
        self.assertIsNone(JsonStrictValidator(SchemaVersion.V1_6).validate_str(self.text))
        with self.assertRaisesRegex(ValueError, "does not fit the schema"):
            sbom.checked(self.text.replace('"type": "library"', '"type": "books"'))

    def test_the_same_release_gives_the_same_bytes_and_another_program_another_number(self):
        self.assertEqual(sbom.document(self.release), self.text)
        self.assertEqual(self.document["metadata"]["timestamp"], "2026-12-31T12:00:00+00:00")
        other = json.loads(sbom.document(self.release._replace(program_digest="cd" * 32)))
        self.assertNotEqual(other["serialNumber"], self.document["serialNumber"])

    def test_the_program_has_its_commit_and_digest(self):
        self.assertEqual(self.document["metadata"]["component"]["pedigree"]["commits"], [{"uid": "1" * 40}])
        self.assertEqual(self.components["pkg:generic/card-companion@1.2.3"]["hashes"], [{"alg": "SHA-256", "content": DIGEST}])

    def test_a_swift_package(self):
        package = self.components["pkg:swift/github.com/apple/swift-nio-ssl@2.37.6"]
        self.assertEqual(package["hashes"], [{"alg": "SHA-256", "content": DIGEST}])
        self.assertEqual(package["pedigree"]["commits"], [{"uid": "2" * 40}])
        self.assertEqual(package["licenses"], [{"expression": "Apache-2.0"}])
        self.assertEqual(package["scope"], "required")
        self.assertEqual(self.components["pkg:swift/github.com/apple/swift-crypto@4.5.2"]["scope"], "excluded")

    def test_the_graph(self):
        tls, nio = "pkg:swift/github.com/apple/swift-nio-ssl@2.37.6", "pkg:swift/github.com/apple/swift-nio@2.101.2"
        runtime = "pkg:github/swiftlang/swift-foundation-icu@swift-6.3.1-RELEASE"
        libc, zlib = (component["bom-ref"] for purl, component in sorted(self.components.items()) if purl.startswith("pkg:deb/"))
        program = "pkg:generic/card-companion@1.2.3"
        self.assertCountEqual(self.edges[program], [tls, runtime, zlib])
        self.assertCountEqual(self.edges[tls], [nio, f"pkg:github/google/boringssl@{BORINGSSL}#CNIOBoringSSL"])
        self.assertEqual(self.edges[zlib], [libc])
        self.assertEqual(self.edges[runtime], ["pkg:generic/icu@76.1"])
        files = self.edges["pkg:generic/card-companion-release@1.2.3"]
        self.assertEqual(len(files), 5)
        self.assertEqual([self.edges[file] for file in files if file.endswith(".deb@1.2.3")], [[program]])

    def test_each_component_is_in_the_graph(self):
        self.assertEqual(
            self.edges.keys() - {"pkg:generic/card-companion-release@1.2.3"},
            {component["bom-ref"] for component in self.components.values()})

    def test_the_clients(self):
        self.assertIn("pkg:maven/cardcompanion/card-companion-sdk@1.2.3?type=aar", self.components)
        self.assertIn("pkg:generic/card-companion-js-1.2.3.tgz@1.2.3", self.components)
        self.assertIn("pkg:generic/card-companion-backend-1.2.3.jar@1.2.3", self.components)
        self.assertIn("pkg:generic/card_companion_backend-1.2.3-py3-none-any.whl@1.2.3", self.components)

    def test_what_a_bank_has_installed_is_what_the_package_has(self):
        self.write("tree/usr/bin/card-companion", "program")
        self.write("tree/DEBIAN/control", "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example.com>\nDescription: a\n")
        run("dpkg-deb", "--build", self.path("tree"), self.path("a.deb"), status=0)
        digest = run("sha256sum", self.path("tree", "usr", "bin", "card-companion"), status=0).stdout.split()[0]
        self.assertEqual(sbom.packaged_program([self.path("a.deb")]), digest)


if __name__ == "__main__":
    unittest.main()
