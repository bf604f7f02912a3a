#!/bin/sh
# What the browser tests of the report need, where it can be had without asking anybody:
# Chromium from the system's packages, axe-core from npm. Never a reason to stop.
set -u
cd "$(dirname "$0")/../.."

have() { command -v "$1" >/dev/null 2>&1; }

# Not called chromium: the shell would then find a command of that name, this one.
get_chromium() {
  have chromium || have chromium-browser || have google-chrome && return
  if ! have apt-get; then
    echo "No Chromium, and no apt-get to install it with: the browser tests will be skipped."
    return
  fi
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    if ! { have sudo && sudo -n true 2>/dev/null; }; then
      echo "No Chromium, and no right to install it (apt-get install chromium): the browser tests will be skipped."
      return
    fi
    as_root="sudo -n"
  fi
  echo "Installing Chromium for the browser tests ..."
  install="$as_root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core"
  $install >/dev/null 2>&1 || { $as_root apt-get update -qq >/dev/null 2>&1; $install >/dev/null 2>&1; } ||
    echo "Chromium could not be installed: the browser tests will be skipped."
}

get_axe() {
  [ -f .node/node_modules/axe-core/axe.min.js ] && return
  if ! have npm; then
    echo "No npm to fetch axe-core with: the accessibility test will be skipped."
    return
  fi
  timeout 120 npm install --silent --no-audit --no-fund --no-save --prefix .node axe-core@4 >/dev/null 2>&1 ||
    echo "axe-core could not be fetched: the accessibility test will be skipped."
}

get_chromium
get_axe
