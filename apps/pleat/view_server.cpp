// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "view_server.hpp"

#include "view_assets.hpp"

#include "pleat/core/error.hpp"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_body = 4096; // of a request [bytes]; none needs one
constexpr std::size_t worker_count = 12;   // a browser opens six connections

Answer failure(int status, const std::string& text)
{
    const nlohmann::json json{{"error", text}};
    return {status, "application/json",
            json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

template <class Number> std::optional<Number> number_of(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The value of a key of "a=1&b=2", empty where there is none.
std::string_view query_value(std::string_view query, std::string_view key)
{
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        const std::string_view part = query.substr(0, end);
        if (const std::size_t equals = part.find('=');
            equals != std::string_view::npos && part.substr(0, equals) == key)
            return part.substr(equals + 1);
        if (end == std::string_view::npos) break;
        query.remove_prefix(end + 1);
    }
    return {};
}

bool has_word(std::string_view list, std::string_view word)
{
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        if (list.substr(0, end) == word) return true;
        if (end == std::string_view::npos) break;
        list.remove_prefix(end + 1);
    }
    return false;
}

Answer frame_answer(RunView& view, std::string_view name, std::string_view query)
{
    const auto number = number_of<int>(name);
    if (!number || *number < 0) return failure(400, "the frame must be a whole number");
    const std::string_view with = query_value(query, "with");
    PacketOptions options;
    options.static_objects = has_word(with, "static");
    options.speed = has_word(with, "speed");
    options.sizing = has_word(with, "sizing");
    return {200, "application/octet-stream", view.frame(*number, options)};
}

/// A file of the run's folder, as it is. What lies outside, by dots or by links, is not there.
Answer file_answer(const RunView& view, const std::string& name)
{
    std::error_code code;
    const fs::path root = fs::canonical(view.folder(), code);
    if (code) return failure(410, "the folder of the run no longer exists");
    if (name.empty() || name.find('\0') != std::string::npos) return failure(404, "no such file");
    const fs::path path = fs::canonical(root / fs::path(name).relative_path(), code);
    if (code) return failure(404, "no such file");
    const fs::path relative = path.lexically_relative(root);
    if (relative.empty() || *relative.begin() == ".." || !fs::is_regular_file(path, code))
        return failure(404, "no such file");
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure(404, "no such file");
    const std::string extension = path.extension().string();
    const char* type = extension == ".json"  ? "application/json"
                       : extension == ".csv" ? "text/csv; charset=utf-8"
                       : extension == ".obj" ? "model/obj"
                                             : "application/octet-stream";
    return {200, type, {std::istreambuf_iterator<char>(in), {}}};
}

} // namespace

Answer answer(RunView& view, const std::string& path, const std::string& query)
{
    const std::string_view route(path);
    const auto starts = [&](std::string_view prefix) { return route.starts_with(prefix); };
    try {
        if (starts("/api/") || starts("/files/")) {
            std::error_code code;
            if (!fs::is_directory(view.folder(), code))
                return failure(410,
                               "the folder of the run no longer exists: " + view.folder().string());
        }
        if (route == "/api/run") return {200, "application/json", view.run_json()};
        if (route == "/api/progress") {
            const std::string_view row = query_value(query, "row");
            const auto first =
                row.empty() ? std::optional<std::size_t>(0) : number_of<std::size_t>(row);
            if (!first) return failure(400, "the row must be a whole number");
            return {200, "application/json", view.progress_json(*first)};
        }
        if (starts("/api/frame/")) return frame_answer(view, route.substr(11), query);
        if (starts("/files/")) return file_answer(view, std::string(route.substr(7)));
    } catch (const InputError& error) {
        return failure(404, to_string(error.problems().front()));
    } catch (const std::exception& error) {
        return failure(500, error.what());
    }
    if (const Asset* asset = find_asset(route == "/" ? "index.html" : route.substr(1)))
        return {200, std::string(asset->type), std::string(asset->bytes)};
    return failure(404, "no such page");
}

struct ViewServer::Http {
    httplib::Server server;
};

ViewServer::ViewServer(RunView& view, std::string host, int port) : http_(std::make_unique<Http>())
{
    httplib::Server& server = http_->server;
    server.new_task_queue = [] { return new httplib::ThreadPool(worker_count); };
    server.set_payload_max_length(largest_body);
    server.set_keep_alive_max_count(1000);
    server.set_tcp_nodelay(true);
    // The library's own options would let two servers share a port.
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    const bool is_loopback = host == "127.0.0.1" || host == "::1" || host == "localhost";
    // All routing happens here: the library's own would match paths by regular expressions.
    server.set_pre_routing_handler([&view, is_loopback](const httplib::Request& request,
                                                        httplib::Response& response) {
        const auto say = [&](Answer a) {
            response.status = a.status;
            response.set_header("Cache-Control", "no-store");
            response.set_header("X-Content-Type-Options", "nosniff");
            response.set_header("Referrer-Policy", "no-referrer");
            response.set_header("Content-Security-Policy",
                                "default-src 'none'; script-src 'self'; style-src 'self' "
                                "'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; "
                                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            // By a provider, because the library would spend seconds on squeezing texts for a
            // reader on the same machine.
            if (a.body.empty()) {
                response.set_content("", a.type);
            } else {
                const auto body = std::make_shared<const std::string>(std::move(a.body));
                response.set_content_provider(
                    body->size(), a.type,
                    [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                        return sink.write(body->data() + offset, length);
                    });
            }
            return httplib::Server::HandlerResponse::Handled;
        };
        // A page of another site whose name was pointed at this machine must not read the run.
        if (is_loopback) {
            std::string name = request.get_header_value("Host");
            if (const std::size_t colon = name.rfind(':');
                colon != std::string::npos && name.find(']', colon) == std::string::npos)
                name.resize(colon);
            if (name != "127.0.0.1" && name != "localhost" && name != "[::1]" && !name.empty())
                return say(failure(403, "this server answers to localhost only"));
        }
        if (request.method != "GET" && request.method != "HEAD")
            return say(failure(405, "only GET is supported"));
        const std::size_t mark = request.target.find('?');
        const std::string query =
            mark == std::string::npos ? std::string() : request.target.substr(mark + 1);
        return say(answer(view, request.path, query));
    });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
        if (response.has_header("X-Content-Type-Options")) return; // answered above
        const std::string reason = response.status == 414   ? "the address is too long"
                                   : response.status == 413 ? "the request is too large"
                                   : response.status == 400 ? "the request is malformed"
                                                            : "the request cannot be answered";
        response.set_content(failure(response.status, reason).body, "application/json");
    });
    const bool bound =
        port == 0 ? (port_ = server.bind_to_any_port(host)) > 0 : server.bind_to_port(host, port);
    if (!bound)
        throw FileError(host + ":" + std::to_string(port),
                        port == 0 ? "the address cannot be used"
                                  : "the port is in use or the address cannot be used");
    if (port != 0) port_ = port;
}

ViewServer::~ViewServer() = default;

void ViewServer::serve()
{
    http_->server.listen_after_bind();
}

void ViewServer::stop()
{
    http_->server.stop();
}

} // namespace pleat::app
