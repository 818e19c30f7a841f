-- Neovim as a client of `fdc lsp`: nvim --headless -u NONE -l is newer than 0.7, so this runs by
-- `nvim --headless -u NONE -c 'luafile drive.lua'`. What was seen goes to $FDC_EDITOR_OUT as JSON.
local root, program = vim.env.FDC_EDITOR_ROOT, vim.env.FDC_EDITOR_PROGRAM
local seen, messages = {}, {}

local function finish(failure)
  seen.failure, seen.messages = failure, messages
  local out = assert(io.open(vim.env.FDC_EDITOR_OUT, "w"))
  out:write(vim.fn.json_encode(seen))
  out:close()
  vim.cmd("qall!")
end

local function wait(what, is_so)
  if not vim.wait(20000, is_so, 50) then error("waited in vain: " .. what) end
end

local function run()
  vim.lsp.handlers["window/showMessage"] = function(_, result) table.insert(messages, result.message) end
  vim.cmd("edit " .. root .. "/src/orders/discount.py")
  local buffer = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start_client({ name = "fdc", cmd = { program, "lsp" }, root_dir = root, cmd_cwd = root }))
  vim.lsp.buf_attach_client(buffer, id)
  local client = vim.lsp.get_client_by_id(id)
  local function lines()
    local found = {}
    for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do table.insert(found, diagnostic.lnum) end
    table.sort(found)
    return found
  end
  local function ask(method, parameters)
    local answer = assert(client.request_sync(method, parameters, 10000, buffer))
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
  local document = { uri = vim.uri_from_bufnr(buffer) }

  wait("diagnostics", function() return #lines() > 0 end)
  seen.diagnostics = vim.tbl_map(function(own)
    return { line = own.lnum, severity = own.severity, message = own.message }
  end, vim.diagnostic.get(buffer))
  seen.lenses = vim.tbl_map(function(lens)
    return { line = lens.range.start.line, title = lens.command.title }
  end, ask("textDocument/codeLens", { textDocument = document }))
  local faulty = vim.fn.search("if line.quantity > minimum:", "nw") - 1
  local function hover(line)
    return ask("textDocument/hover", { textDocument = document, position = { line = line, character = 8 } })
  end
  seen.hover = hover(faulty).contents.value

  -- Lines are put in above, and what is marked moves along.
  local before = lines()
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "# one", "# two", "# three" })
  wait("moved diagnostics", function() return #lines() > 0 and lines()[1] == before[1] + 3 end)
  seen.moved = { before = before, after = lines() }
  seen.hover_moved = hover(faulty + 3).contents.value
  -- The faulty line is mended in the buffer: nothing is said of it any more.
  vim.api.nvim_buf_set_lines(buffer, faulty + 3, faulty + 4, true, { "            if line.quantity >= minimum:" })
  vim.wait(500)
  seen.hover_mended = hover(faulty + 3)

  local answer = ask("workspace/executeCommand", { command = "fdc.nextTest" })
  seen.next = answer.test.name
  wait("the message of the command", function() return #messages > 0 end)

  -- The case changes on the disk.
  assert(vim.fn.system({ program, "import", root .. "/mended.json", "-o", root .. "/case.fdc", "--source", root }) and vim.v.shell_error == 0)
  wait("no diagnostics once nothing fails", function() return #lines() == 0 end)
  seen.after_mending = lines()
  vim.fn.writefile({ "damaged" }, root .. "/case.fdc")
  local told = #messages
  wait("a message about the damage", function() return #messages > told end)
  client.stop()
  wait("the server's end", function() return client.is_stopped() end)
end

vim.schedule(function()
  local done, failure = pcall(run)
  finish(not done and tostring(failure) or vim.NIL)
end)
