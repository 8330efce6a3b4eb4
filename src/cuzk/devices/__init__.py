"""Devices: what runs NTTs and MSMs. The CPU is always there."""

from cuzk.devices.cpu import CpuDevice
from cuzk.devices.device import Bases, Curve, Device, DeviceInfo, ScalarBuffer

__all__ = ["Bases", "CpuDevice", "Curve", "Device", "DeviceInfo", "ScalarBuffer"]
