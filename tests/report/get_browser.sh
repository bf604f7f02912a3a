#!/bin/sh
# What the browser tests of the report need, where it can be had without asking anybody:
# Chromium and Firefox from the system's packages, axe-core from npm. Never a reason to stop.
set -u
cd "$(dirname "$0")/../.."

have() { command -v "$1" >/dev/null 2>&1; }

# A package ($2) of the system for a browser ($1), unless one of the commands ($3) is there.
get_package() {
  for command in $3; do have "$command" && return; done
  if ! have apt-get; then
    echo "No $1, and no apt-get to install it with: its tests will be skipped."
    return
  fi
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    if ! { have sudo && sudo -n true 2>/dev/null; }; then
      echo "No $1, and no right to install it (apt-get install $2): its tests will be skipped."
      return
    fi
    as_root="sudo -n"
  fi
  echo "Installing $1 for the browser tests ..."
  install="$as_root apt-get install -y -qq --no-install-recommends $2 fonts-dejavu-core"
  $install >/dev/null 2>&1 || { $as_root apt-get update -qq >/dev/null 2>&1; $install >/dev/null 2>&1; } ||
    echo "$1 could not be installed: its tests will be skipped."
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

get_package Chromium chromium "chromium chromium-browser google-chrome"
get_package Firefox firefox-esr "firefox-esr firefox"
get_axe
