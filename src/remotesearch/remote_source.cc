// SPDX-License-Identifier: Apache-2.0
#include "remotesearch/remote_source.h"

namespace cairn::remotesearch {

std::string RemoteSource::authority() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string RemoteSource::description() const {
  std::string out = "[";
  if (scheme != "http") out += "scheme=" + scheme + " ";
  out += "host=" + host + " port=" + std::to_string(port);
  if (!path_prefix.empty()) out += " pathPrefix=" + path_prefix;
  return out + "]";
}

}  // namespace cairn::remotesearch
