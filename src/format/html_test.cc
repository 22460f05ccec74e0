// SPDX-License-Identifier: Apache-2.0
#include "format/html.h"

#include <doctest/doctest.h>

namespace cairn::html_test {

TEST_CASE("nothing that is told in a page becomes part of it") {
  CHECK(html_text("a < b & \"c\" 'd' >") == "a &lt; b &amp; &quot;c&quot; &#39;d&#39; &gt;");
  const std::string page =
      html_page("<script>", {"</p><img src=x>"}, {{"/_console/\"onclick=\"x", "<b>go</b>"}});
  for (const auto* hostile : {"<script", "<img", "\"onclick", "<b>"})
    CHECK(page.find(hostile) == std::string::npos);
  CHECK(page.find("<a href=\"/_console/&quot;onclick=&quot;x\">&lt;b&gt;go&lt;/b&gt;</a>") !=
        std::string::npos);
}

}  // namespace cairn::html_test
