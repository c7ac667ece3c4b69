// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Serves the viewer's page and one run over HTTP, and nothing else.
#pragma once

#include "run_view.hpp"

#include <memory>
#include <string>

namespace pleat::app {

/// An answer to one request; free of the HTTP library so that it can be tested by itself.
struct Answer {
    int status = 200;
    std::string type; // of the body
    std::string body;
};

/// What a GET of this path is answered with. Failures are JSON: {"error": "..."}.
/// \param query text after the question mark, without it
[[nodiscard]] Answer answer(RunView& view, const std::string& path, const std::string& query);

class ViewServer {
public:
    /// Takes a port; 0: any that is free. \throw FileError where there is none.
    ViewServer(RunView& view, std::string host, int port);
    ~ViewServer();
    [[nodiscard]] int port() const { return port_; }
    /// Answers until stop().
    void serve();
    /// From any thread.
    void stop();

private:
    struct Http;
    std::unique_ptr<Http> http_;
    int port_ = 0;
};

} // namespace pleat::app
