# make run    starts the server with a sandbox bank; the machine only needs Swift
# make app    builds the app of the sandbox
# make test   runs all tests
# make test-one  runs the tests of some targets: TESTS=DistributionTests
# make test-times  says which tests need the processor most
# make android  builds the Android library
# make javascript  builds the JavaScript package
# make android-test  tests the Android library and its sample app
# make release  makes all files of a release, signed: packages, clients, SBOM
# make release-check  makes it twice, and compares
# make back-end-test  tests the libraries for banks' back-ends, in Python and Java, and what the examples say
# make attack attacks a server, and says whether others are still answered in time
# make bench  measures the server, next to what it cannot avoid
# make overload  sends the server more than it can answer, and counts what is answered in time
# make allocations  counts the allocations of each operation, which does not need a quiet machine
# make instructions  counts the instructions of hot functions, which does not need a quiet machine
# make ha     brings up the highly available installation on this machine: three PostgreSQL, two servers, haproxy
# make chaos  lets clients use that while machines die, freeze and are cut off, and checks that no promise is broken
# make stops  stops servers under load, and checks that each ends in time
# make fuzz   gives random bytes to the parsers of what strangers send
# make sanitize  runs the unit tests with AddressSanitizer and ThreadSanitizer
# make model  checks the models of replay, attempts, delivery, definition and the inventory
# make test-eid  plays scenarios against the real AusweisApp and against eid-simulator, and compares
# make upgrade-test    upgrades two servers from the last release to this tree while clients use them, and goes back
# make record-statements  records the statements of this program, for the release
# make captcha-report  says how well programs read the images of PINs

.DEFAULT_GOAL := help
.PHONY: help run build app test test-one test-times chaos-short deb deb-test image-test attack ha chaos stops fuzz sanitize model bench overload
.PHONY: allocations instructions captcha-report
.PHONY: android javascript release release-check android-test back-end-test test-eid openapi lint upgrade-test record-statements format clean swift packages test-packages

export DATA_DIRECTORY ?= .data
results := .build/bench
# One build for running, measuring and packaging. Swift's runtime is in the program, which needs no Swift where it runs.
# The path of this tree is not in it, so that everybody who builds a commit gets the same bytes. Nor is the debugger's information: it
# depends on the times of header files, and what strip leaves has hashes of it (.swift_modhash, the build id).
build_folder := .build
package_folder := $(build_folder)/package
release := swift build --configuration release --static-swift-stdlib --scratch-path $(build_folder) \
    -debug-info-format none -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=."
# The build of the tests, in a folder of its own. It is a release in which most of our modules are not optimized (Package.swift): other
# packages change seldom, and a debug build of swift-argument-parser checks all options at each start. Without the debugger's
# information and with the faster linker it is shorter still. For a debugger: make test-one TESTS=… DEBUG_INFORMATION=dwarf
tests_folder := .build/testing
test_build := CARD_COMPANION_TEST_BUILD=1 swift build --configuration release --scratch-path $(tests_folder) \
    -Xswiftc -use-ld=lld -debug-info-format $(or $(DEBUG_INFORMATION),none)
sources := Package.swift Sources Tests
# The tests that start neither our server nor a browser, as a regular expression.
unit_tests := Cryptography|JOSE|HTTPSignatures|StrictJSON|KeyBlocks|PINBlocks|SecureMemory|KeyVault|PINImages
unit_tests := $(unit_tests)|PostgresLibPQ|CardCompanion|Wycheproof|Fuzz|EMRTD|DocumentValidation
unit_tests := $(unit_tests)|EIDInterface|EIDSimulation|EIDWorkflow
# ThreadSanitizer itself crashes where a generator of random numbers without any state is passed on.
sanitize-thread-options := --skip DeliveryPlaintextTests

help: ## lists these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

run: build sandbox ## builds the server and starts it with a sandbox bank; the data is stored in .data/
	@exec .build/release/card-companion-sandbox serve

build: swift packages ## builds the server in release configuration
	@echo "Building the server. The first time this takes 5 to 17 minutes on two processors."
	$(release) --product card-companion

.PHONY: sandbox
sandbox: swift packages
	$(release) --product card-companion-sandbox

app: swift packages ## builds the app of the sandbox in release configuration
	@deploy/install-packages app
	@echo "Building the app. The first time this takes about two minutes."
	$(release) --product sandbox-app

test: test-build ## runs all tests
	@echo "Running the tests. This takes 11 to 25 minutes on two processors."
	$(test_environment) Tests/run

test-one: test-build ## runs the tests of some targets or suites: TESTS='DistributionTests|DefinitionTests'
	$(test_environment) Tests/run --filter '(^|\.)($(or $(TESTS),$(error say which tests: TESTS=DistributionTests)))[./]'

test-times: test-build ## runs the tests one after the other, and says which need the processor most: TESTS=OperatorTests
	@echo "Measuring the tests. This takes about 20 minutes, and nothing else may run on this machine."
	$(test_environment) python3 -B Tests/Tools/Times/times.py $(if $(TESTS),--filter '$(TESTS)')

test_environment := CARD_COMPANION_PYTHON="$(CURDIR)/.venv/bin/python3"

.PHONY: test-build
test-build: swift test-packages .venv/installed
	@echo "Building the tests. The first time this takes 6 to 20 minutes on two processors, later one or two."
	$(test_build) --build-tests

android: ## builds the Android library, in .build/android; it needs no Android SDK
	@deploy/install-packages android
	Sources/Clients/CardCompanionAndroid/build

javascript: ## builds the JavaScript package, in .build/javascript
	Sources/Clients/CardCompanionJS/build

release: swift packages .build/release-venv/installed ## makes all files of a release: RELEASE_KEY=file (or none: a trial, not signed), VERSIONS=file of an earlier build
	@deploy/install-packages package
	@deploy/install-packages android
	@deploy/release/make-release "$(RELEASE_KEY)" $(if $(VERSIONS),"$(VERSIONS)")

release-check: ## makes a trial of this commit's release twice, and compares all bytes: VERSIONS=file of an earlier build
	@deploy/install-packages release
	@deploy/release/check-reproducible $(if $(VERSIONS),"$(VERSIONS)")

android-test: ## tests the Android library and its sample app
	@deploy/install-packages android
	Sources/Clients/CardCompanionAndroid/build --test

back-end-test: .venv/installed ## tests the libraries for back-ends in Python and Java, and what the examples say
	.venv/bin/python3 -B -m unittest discover --start-directory Tests/Clients/BackEndTests/python
	Sources/Clients/CardCompanionBackEndJava/build --test

deb: build ## builds the Debian package, in .build/package
	deploy/install-packages package
	swift build --configuration release --package-path $(build_folder)/checkouts/swift-argument-parser \
	    --scratch-path $(build_folder)/manual --product generate-manual
	rm -rf $(package_folder) && mkdir -p $(package_folder)/man
	$(build_folder)/manual/release/generate-manual $(build_folder)/release/card-companion --multi-page \
	    --date "$$(git log -1 --format=%cs)" --output-directory $(package_folder)/man
	deploy/debian/build-package $(build_folder)/release/card-companion $(package_folder)/man $(build_folder)/checkouts \
	    $(package_folder)

deb-test: deb ## installs, upgrades and purges the package in a Debian of its own; needs root
	deploy/debian/build-package .build/release/card-companion .build/package/man .build/checkouts \
	    .build/package/before 0.0.1
	deploy/debian/test-package .build/package/before/*.deb .build/package/card-companion_*.deb .build/package/test

image-test: deb-test ## builds the container image on the Debian of deb-test, and looks at it; needs root
	deploy/container/test-image .build/package/card-companion_*.deb .build/package/test

attack: sandbox test-packages ## attacks a server of its own, and says whether others are still answered in time
	python3 Tests/Tools/Attacks/attack.py --program .build/release/card-companion-sandbox

ha: build sandbox ## runs three PostgreSQL under Patroni, two servers and haproxy on this machine; the data is stored in .data/ha
	@deploy/install-packages ha
	@exec python3 -B deploy/ha/try.py --program .build/release/card-companion --data $(or $(HA_DATA),.data/ha)

chaos-short: test-build ## kills and freezes machines for a minute, with the program of the tests
	.venv/bin/python3 -B Tests/Tools/Chaos/chaos.py --short --answer-limit 10 --program $(tests_folder)/release/card-companion

chaos: build sandbox .venv/installed ## kills and freezes machines while clients use the servers: CHAOS_MINUTES=15, CHAOS_EVERY=60 seconds, CHAOS_SEED=7, CHAOS_FAULTS="disk-300 flood+network"; as root
	@deploy/install-packages ha
	.venv/bin/python3 -B Tests/Tools/Chaos/chaos.py --program .build/release/card-companion \
	    --minutes $(or $(CHAOS_MINUTES),15) $(if $(CHAOS_SEED),--seed $(CHAOS_SEED)) $(if $(CHAOS_FAULTS),--faults "$(CHAOS_FAULTS)") \
	    $(if $(CHAOS_EVERY),--every $(CHAOS_EVERY)) $(if $(LOGS),--logs $(LOGS))

stops: build sandbox .venv/installed ## stops servers under load, 300 times: STOPS=300
	.venv/bin/python3 -B Tests/Tools/Chaos/stops.py --program .build/release/card-companion --count $(or $(STOPS),300)

fuzz: swift packages ## gives random bytes to the parsers: FUZZ_SECONDS=60 for each (600 before a release), PARSERS="jwe der"
	CARD_COMPANION_FUZZER=1 swift build --product fuzzer --sanitize fuzzer --sanitize address --scratch-path .build/fuzz
	Tests/Tools/Fuzz/fuzz.sh .build/fuzz/debug/fuzzer .build/fuzz/findings $(or $(FUZZ_SECONDS),60) $(PARSERS)

sanitize: sanitize-address sanitize-thread ## runs the unit tests with AddressSanitizer, then with ThreadSanitizer

sanitize-address sanitize-thread: sanitize-%: swift test-packages .venv/installed
	swift build --build-tests --sanitize $* --scratch-path .build/sanitize-$*
	CARD_COMPANION_PYTHON="$(CURDIR)/.venv/bin/python3" SWIFT_BACKTRACE=enable=no \
	    LSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Tools/Sanitizers/leak.txt" \
	    TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Tools/Sanitizers/thread.txt" \
	    swift test --skip-build --disable-xctest --sanitize $* --scratch-path .build/sanitize-$* \
	    --filter '^($(unit_tests))Tests\.' $(sanitize-$*-options)

model: ## checks the models of replay, attempts, delivery, definition and the inventory with spin
	@deploy/install-packages model
	python3 -B Tests/Tools/Model/check.py

test-eid: swift packages .venv/installed ## compares eid-simulator with the real AusweisApp: SCENARIOS="PUK" LOGS=folder
	@deploy/install-packages eid
	$(test_build) --product eid-simulator
	$(test_build) --product eid
	$(test_build) --product virtual-eid-card
	.venv/bin/python3 -B Tests/EID/EIDReal/compare.py \
	    $(if $(SCENARIOS),--scenarios "$(SCENARIOS)") $(if $(LOGS),--logs $(LOGS))

upgrade-test: build sandbox .venv/installed ## upgrades from the last release to this tree while clients use the servers
	@deploy/install-packages ha
	old=$$(Tests/Tools/Upgrade/build-release) && .venv/bin/python3 -B Tests/Tools/Upgrade/upgrade.py \
	    --old "$$old" --new .build/release/card-companion $(if $(LOGS),--logs $(LOGS))

record-statements: build sandbox .venv/installed ## records the statements of this program in Tests/Tools/Upgrade/statements, for a release
	@deploy/install-packages ha
	.venv/bin/python3 -B Tests/Tools/Upgrade/record.py --program .build/release/card-companion

bench: build test-packages .build/bench-venv/installed ## measures a server of its own: BENCH_CARDHOLDERS=1000000, BASE=before.json, JSON=now.json, ONLY=keypad,notify
	@echo "Building the bench, then measuring for about twelve minutes. Each row is shown when it is measured."
	$(release) --product bench
	@mkdir -p $(results)
	.build/release/bench --cardholders $(or $(BENCH_CARDHOLDERS),100000) \
	    --json $(or $(JSON),$(results)/bench.json) $(if $(BASE),--base $(BASE)) $(if $(ONLY),--only "$(ONLY)")
	.build/bench-venv/bin/python3 Tests/Tools/Bench/plot.py $(or $(JSON),$(results)/bench.json) $(results)

overload: build test-packages .build/bench-venv/installed ## sends up to five times what the server can do: OVERLOAD_SECONDS=30, FACTORS=0.5,1,2,5
	@echo "Building the bench, then measuring for about twenty minutes. Each row is shown when it is measured."
	$(release) --product bench
	@mkdir -p $(results)
	.build/release/bench overload --seconds $(or $(OVERLOAD_SECONDS),30) --factors $(or $(FACTORS),0.5,1,2,5) \
	    --json $(results)/overload.json
	.build/release/bench overload --tls --import --seconds $(or $(OVERLOAD_SECONDS),30) --factors $(or $(FACTORS),0.5,1,2,5)
	.build/release/bench tenants --seconds $(or $(OVERLOAD_SECONDS),30)
	.build/bench-venv/bin/python3 Tests/Tools/Bench/plot.py $(results)/overload.json $(results)

allocations: build test-packages ## counts the allocations of each operation; RECORD=1 records them
	@echo "Building the bench, then counting for about a minute."
	$(release) --product bench
	.build/release/bench allocations Tests/Tools/Bench/allocations.json --build release $(if $(RECORD),--record)

instructions: swift test-packages ## counts the instructions of hot functions; RECORD=1 records them
	$(release) --product instructions
	python3 Tests/Tools/Instructions/count.py .build/release/instructions $(if $(RECORD),--record)

openapi: .venv/installed ## writes the JSON form of openapi.yaml, which the sandbox's page /docs shows
	.venv/bin/python3 -B Tests/Server/OpenAPITests/Drivers/openapi_json.py write openapi.yaml \
	    Sources/Server/card-companion-sandbox/Pages/Docs/openapi.json

captcha-report: swift packages .build/captcha-report-venv/installed ## lets programs read images of PINs: COUNT=50 TRAINING=500 is quick
	$(release) --product captcha-report
	.build/captcha-report-venv/bin/python3 Tests/Tools/CaptchaReport/report/captcha_report.py \
	    --program .build/release/captcha-report --output .build/captcha-report \
	    $(if $(COUNT),--count $(COUNT)) $(if $(TRAINING),--training $(TRAINING))

lint: swift ## checks the format of the source code
	swift format lint --strict --parallel --recursive $(sources)

format: swift ## formats the source code
	swift format --in-place --parallel --recursive $(sources)

clean: ## deletes build results; keeps the data
	rm -rf .build .venv

swift:
	@command -v swift >/dev/null || { \
	    echo "swift is not on the PATH. Install Swift 6.2 or later: https://www.swift.org/install" >&2; \
	    exit 1; }

packages:
	@deploy/install-packages

test-packages:
	@deploy/install-packages test
	@deploy/install-packages android

.venv/installed: Tests/requirements.txt deploy/release/requirements.txt | test-packages
	python3 -m venv .venv
	.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement Tests/requirements.txt
	touch $@

.build/release-venv/installed: deploy/release/requirements.txt
	deploy/install-packages release
	python3 -m venv .build/release-venv
	.build/release-venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

.build/captcha-report-venv/installed: Tests/Tools/CaptchaReport/report/requirements.txt
	deploy/install-packages captcha
	python3 -m venv .build/captcha-report-venv
	.build/captcha-report-venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

.build/bench-venv/installed: Tests/Tools/Bench/requirements.txt | test-packages
	python3 -m venv .build/bench-venv
	.build/bench-venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@
