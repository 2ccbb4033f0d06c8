"""A training loop that adds up its loss on the host: loss.item() waits for the GPU in every step."""

import torch

STEPS, SIZE = 1000, 1024

torch.manual_seed(0)
device = torch.device("cuda")
model = torch.nn.Linear(SIZE, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
x = torch.linspace(-1, 1, 256 * SIZE, device=device).reshape(256, SIZE)
y = x[:, :1].clone()

total = 0.0
for _ in range(STEPS):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(f"mean loss {total / STEPS:.4f}")
